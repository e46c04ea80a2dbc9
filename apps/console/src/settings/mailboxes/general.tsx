import type { Mailbox, MemberAccess } from '@postroom/contracts';
import { Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import { useUnsavedText } from '../../shell/unsaved.js';
import { Section } from '../../ui/section.js';
import { FormFault, useSubmit } from '../../ui/submit.js';
import { AccessField } from './access-field.js';
import { useChange } from './use-change.js';

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
  const { onSubmit, fault } = useSubmit(form, ({ retentionDays: days, ...rest }) =>
    change({ ...rest, retentionDays: days === '' ? null : Number(days) }),
  );
  return (
    <Section title="General">
      <form onSubmit={onSubmit}>
        <Stack maw={520}>
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
          <FormFault fault={fault} />
          <Group>
            <Button type="submit" disabled={!form.isDirty()} loading={form.submitting}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
