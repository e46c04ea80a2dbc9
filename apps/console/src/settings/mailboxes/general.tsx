import { NumberInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Mailbox, MailboxAnswer, MemberAccess, UpdateMailbox } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { tellDone } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StackForm, useSubmit } from '../../ui/submit.js';
import { mailboxesQuery } from '../queries.js';
import { AccessField } from './access-field.js';

interface GeneralValues {
  name: string;
  access: MemberAccess;
  automation: boolean;
  retentionDays: number | string;
}

/** Name, access, events and retention. */
export function General({ mailbox }: { mailbox: Mailbox }): ReactElement {
  const { name, access, automation, retentionDays } = mailbox;
  const change = useChange(mailbox);
  const form = useForm<GeneralValues>({
    initialValues: { name, access, automation, retentionDays: retentionDays ?? '' },
  });
  useUnsavedText(form.isDirty());
  const submission = useSubmit(form, ({ retentionDays: days, ...rest }) =>
    change({ ...rest, retentionDays: days === '' ? null : Number(days) }),
  );
  return (
    <Section title="General">
      <StackForm {...{ form, submission }} maw={520} onPage>
        <TextInput
          {...{ label: 'Name', required: true, maxLength: 120 }}
          description="Recipients see it beside the address."
          {...form.getInputProps('name')}
        />
        <AccessField
          value={form.values.access}
          onChange={(chosen) => form.setFieldValue('access', chosen)}
          error={form.errors['access'] ?? null}
        />
        <Switch
          {...{ label: 'Agents and webhooks are told of arriving mail' }}
          {...form.getInputProps('automation', { type: 'checkbox' })}
        />
        <NumberInput
          {...{ label: 'Days to keep conversations', min: 1, max: 3_650, maw: 260 }}
          description="After the last message. Empty: they are kept."
          {...form.getInputProps('retentionDays')}
        />
      </StackForm>
    </Section>
  );
}

/** Changes a mailbox from the version that is shown. */
export function useChange(mailbox: Mailbox): (change: Omit<UpdateMailbox, 'id'>) => Promise<void> {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  return async (change) => {
    const options = { idempotencyKey, ifMatch: mailbox.version };
    await api.patch<MailboxAnswer>(`/mailboxes/${mailbox.id}`, change, options);
    await client.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    void client.invalidateQueries({ queryKey: ['account'] });
    tellDone('The mailbox is changed.');
  };
}
