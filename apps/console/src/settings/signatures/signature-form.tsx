import type { Signature } from '@postroom/contracts';
import { Checkbox, Input, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { newIdempotencyKey, save } from '../../api/api.js';
import { withLines } from '../../compose/content.js';
import { MailEditor } from '../../compose/mail-editor.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { StackForm, useSubmit } from '../../ui/submit.js';

interface SignatureFormProps {
  readonly signature: Signature | null;
  readonly onDone: () => void;
}

const valuesOf = (
  signature: Signature | null,
): { name: string; html: string; mailbox: string; isDefault: boolean } =>
  signature
    ? { ...signature, mailbox: signature.mailbox ?? '' }
    : { name: '', html: '', mailbox: '', isDefault: false };

/** Writes a signature. */
export function SignatureForm({ signature, onDone }: SignatureFormProps): ReactElement {
  const { mailboxes } = useAccount();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({
    initialValues: valuesOf(signature),
    validate: { html: (value) => (value === '' ? 'Write a signature.' : null) },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, async ({ name, html, isDefault, mailbox }) => {
    const given = {
      name,
      html: withLines(html),
      isDefault,
      mailbox: mailbox === '' ? null : mailbox,
    };
    await save('/signatures', signature, given, idempotencyKey);
    onDone();
  });
  return (
    <StackForm {...{ form, submission }}>
      <TextInput
        {...{ label: 'Name', required: true, maxLength: 120, 'data-autofocus': true }}
        {...form.getInputProps('name')}
      />
      <Select
        {...{ label: 'Mailbox', allowDeselect: false }}
        data={[
          { value: '', label: 'Every mailbox' },
          ...mailboxes.map(({ address }) => ({ value: address, label: address })),
        ]}
        {...form.getInputProps('mailbox')}
      />
      <Input.Wrapper label="Text" labelElement="div" error={form.errors['html']}>
        <MailEditor
          {...{ label: 'Signature', html: form.values.html }}
          onChange={(html) => form.setFieldValue('html', html)}
        />
      </Input.Wrapper>
      <Checkbox
        label="New messages of this mailbox begin with it"
        {...form.getInputProps('isDefault', { type: 'checkbox' })}
      />
    </StackForm>
  );
}
