import { Modal, MultiSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { AddressBook } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { AskDialog } from '../ui/ask-dialog.js';
import { ImportDialog } from '../ui/import-dialog.js';
import { tellDone } from '../ui/notices.js';
import { StackForm, useSubmit } from '../ui/submit.js';
import { useFreshContacts } from './contact-query.js';

export type BookDialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'import' | 'remove'; readonly book: AddressBook };

/** The dialog that was chosen for a book. */
export function BookDialogs(props: { dialog: BookDialog; onClose: () => void }): ReactElement {
  const { dialog, onClose } = props;
  const fresh = useFreshContacts();
  if (dialog.kind === 'new') return <BookForm book={null} onClose={onClose} />;
  const { book } = dialog;
  if (dialog.kind === 'edit') return <BookForm {...{ book, onClose }} />;
  if (dialog.kind === 'remove') return <RemoveBook {...{ book, onClose }} />;
  return (
    <ImportDialog
      {...{ title: `Import into “${book.name}”`, path: `/address-books/${book.id}/import` }}
      {...{ types: { '.vcf': 'text/vcard', '.csv': 'text/csv' }, onClose }}
      {...{ entries: ['contact', 'contacts'], onDone: () => void fresh() }}
    />
  );
}

const accessOf = (book: AddressBook | null) => {
  const access = book?.access ?? 'workspace';
  const of = (wanted: string): string[] =>
    access === 'workspace'
      ? []
      : access.filter((one) => one.access === wanted).map(({ member }) => member);
  return {
    who: access === 'workspace' ? 'workspace' : 'some',
    read: of('read'),
    write: of('write'),
  };
};

function BookForm(props: { book: AddressBook | null; onClose: () => void }): ReactElement {
  const { book, onClose } = props;
  const { members } = useAccount();
  const fresh = useFreshContacts();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({ initialValues: { name: book?.name ?? '', ...accessOf(book) } });
  const submission = useSubmit(form, async ({ name, who, read, write }) => {
    const some = [
      ...write.map((member) => ({ member, access: 'write' })),
      ...read.filter((id) => !write.includes(id)).map((member) => ({ member, access: 'read' })),
    ];
    const body = { name, access: who === 'workspace' ? 'workspace' : some };
    if (book) await api.patch(`/address-books/${book.id}`, body, { ifMatch: book.version });
    else await api.post('/address-books', body, { idempotencyKey });
    await fresh();
    onClose();
  });
  const data = members.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Modal opened onClose={onClose} title={book ? 'Name and access' : 'Add a book'}>
      <StackForm {...{ form, submission }} label={book ? 'Save' : 'Add'}>
        <TextInput
          {...{ label: 'Name', maxLength: 120, required: true, 'data-autofocus': true }}
          {...form.getInputProps('name')}
        />
        <Radio.Group label="Who has access" {...form.getInputProps('who')}>
          <Stack gap={6} mt={4}>
            <Radio value="workspace" label="The whole workspace, which may write too" />
            <Radio value="some" label="Some members, and all administrators" />
          </Stack>
        </Radio.Group>
        {form.values.who === 'some' && (
          <>
            <MultiSelect {...{ label: 'May write', data }} {...form.getInputProps('write')} />
            <MultiSelect {...{ label: 'May read', data }} {...form.getInputProps('read')} />
          </>
        )}
      </StackForm>
    </Modal>
  );
}

function RemoveBook({ book, onClose }: { book: AddressBook; onClose: () => void }): ReactElement {
  const fresh = useFreshContacts();
  const { id, name, contactCount } = book;
  return (
    <AskDialog
      {...{ title: `Delete “${name}”`, confirm: 'Delete the book', onClose }}
      onConfirm={async () => {
        await api.delete(`/address-books/${id}`, { query: { force: contactCount > 0 } });
        tellDone(`“${name}” is deleted.`);
        await fresh();
      }}
    >
      {contactCount === 0
        ? 'It has no contacts.'
        : `Its ${contactCount.toLocaleString('en')} contacts are deleted with it. This cannot be undone.`}
    </AskDialog>
  );
}
