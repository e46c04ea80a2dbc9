import type { FoundMailSettings, MailboxAnswer, MemberAccess } from '@postroom/contracts';
import { Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { AccessField } from './access-field.js';
import { Found } from './connect-account.js';
import {
  ServerFields,
  emptyServer,
  serverGiven,
  valuesOf,
  type ServerValues,
} from './server-fields.js';
import { mailSettingsQuery } from '../queries.js';

interface NewMailboxValues {
  address: string;
  name: string;
  access: MemberAccess;
  hasServer: boolean;
  imap: ServerValues;
  outgoing: ServerValues;
}

/** Adds a mailbox: by the deployment's servers, or with a server of its own. */
export function NewMailbox(props: { onAdded: (answer: MailboxAnswer) => void }): ReactElement {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const client = useQueryClient();
  const [found, setFound] = useState<FoundMailSettings | null>(null);
  const form = useForm<NewMailboxValues>({
    initialValues: {
      ...{ address: '', name: '', access: 'workspace', hasServer: false },
      imap: { ...emptyServer, port: 993 },
      outgoing: { ...emptyServer, port: 465 },
    },
  });
  useUnsavedText(form.isDirty());
  const find = async (hasServer: boolean): Promise<void> => {
    form.setFieldValue('hasServer', hasServer);
    const { address } = form.values;
    if (!hasServer || !address.includes('@')) return;
    const settings = await client.query(mailSettingsQuery(address)).catch(() => null);
    setFound(settings);
    if (settings?.imap) form.setFieldValue('imap', valuesOf(settings.imap, 993));
    if (settings?.outgoing) form.setFieldValue('outgoing', valuesOf(settings.outgoing, 465));
  };
  const submission = useSubmit(form, async (values) => {
    const { address, name, access, hasServer, imap, outgoing } = values;
    const servers = hasServer && { imap: serverGiven(imap), outgoing: serverGiven(outgoing) };
    const given = { address, access, ...(name !== '' && { name }), ...servers };
    props.onAdded(await api.post<MailboxAnswer>('/mailboxes', given, { idempotencyKey }));
  });
  return (
    <StackForm {...{ form, submission }} label="Add the mailbox">
      <TextInput
        {...{ label: 'Address', type: 'email', required: true, 'data-autofocus': true }}
        {...form.getInputProps('address')}
        onBlur={() => void find(form.values.hasServer)}
      />
      <TextInput
        {...{ label: 'Name', maxLength: 120, placeholder: 'Support' }}
        {...form.getInputProps('name')}
      />
      <AccessField
        value={form.values.access}
        onChange={(access) => form.setFieldValue('access', access)}
        error={form.errors['access'] ?? null}
      />
      <Switch
        {...{ label: 'Its mail is in an account elsewhere', checked: form.values.hasServer }}
        description="At Google, Microsoft or any host; needed for addresses of a domain that is not proved here. You sign in to it on the next page."
        onChange={({ currentTarget }) => void find(currentTarget.checked)}
      />
      {form.values.hasServer && found?.imap && <Found found={found} kept={null} />}
      {form.values.hasServer && !found?.imap && (
        <>
          <ServerFields
            {...{ title: 'Arriving mail (IMAP)', value: form.values.imap, isNew: true }}
            onChange={(imap) => form.setFieldValue('imap', imap)}
            errorOf={(field) => form.errors[`imap.${field}`]}
          />
          <ServerFields
            {...{ title: 'Outgoing mail (SMTP)', value: form.values.outgoing, isNew: true }}
            onChange={(outgoing) => form.setFieldValue('outgoing', outgoing)}
            errorOf={(field) => form.errors[`outgoing.${field}`]}
          />
        </>
      )}
    </StackForm>
  );
}
