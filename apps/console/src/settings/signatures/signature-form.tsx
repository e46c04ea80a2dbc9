import type { Signature } from '@postroom/contracts';
import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { RichTextEditor } from '@mantine/tiptap';
import '@mantine/tiptap/styles.css';
import { useEditor } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { newIdempotencyKey, save } from '../../api/api.js';
import { nonce } from '../../theme.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { FormEnd, useSubmit } from '../../ui/submit.js';

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
  const { onSubmit, fault } = useSubmit(form, async ({ name, html, isDefault, mailbox }) => {
    const given = { name, html, isDefault, mailbox: mailbox === '' ? null : mailbox };
    await save('/signatures', signature, given, idempotencyKey);
    onDone();
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack>
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
        <Editor
          {...{ html: signature?.html ?? '', error: form.errors['html'] ?? null }}
          onChange={(html) => form.setFieldValue('html', html)}
        />
        <Checkbox
          label="New messages of this mailbox begin with it"
          {...form.getInputProps('isDefault', { type: 'checkbox' })}
        />
        <FormEnd {...{ form, fault }} />
      </Stack>
    </form>
  );
}

function Editor(props: {
  html: string;
  error: React.ReactNode;
  onChange: (html: string) => void;
}): ReactElement {
  const editor = useEditor({
    extensions: [StarterKit.configure({ link: { openOnClick: false } })],
    content: props.html,
    injectNonce: nonce,
    immediatelyRender: true,
    editorProps: {
      attributes: { 'aria-label': 'Signature', role: 'textbox', 'aria-multiline': 'true' },
    },
    onUpdate: ({ editor: changed }) =>
      props.onChange(changed.isEmpty ? '' : withLines(changed.getHTML())),
  });
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} component="span">
        Text
      </Text>
      <RichTextEditor editor={editor}>
        <RichTextEditor.Toolbar>
          <RichTextEditor.ControlsGroup>
            <RichTextEditor.Bold />
            <RichTextEditor.Italic />
            <RichTextEditor.Underline />
          </RichTextEditor.ControlsGroup>
          <RichTextEditor.ControlsGroup>
            <RichTextEditor.Link />
            <RichTextEditor.Unlink />
          </RichTextEditor.ControlsGroup>
        </RichTextEditor.Toolbar>
        <RichTextEditor.Content />
      </RichTextEditor>
      {props.error && (
        <Text size="sm" c="red" role="alert">
          {props.error}
        </Text>
      )}
    </Stack>
  );
}

/** Mail clients show an empty paragraph with no height. */
const withLines = (html: string): string => html.replaceAll('<p></p>', '<p><br></p>');
