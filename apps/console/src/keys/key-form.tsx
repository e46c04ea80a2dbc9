import { Button, Checkbox, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Approval, Key, KeyKind, MailboxGrant, Scope } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { fieldErrorsOf } from '../api/problem.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { ErrorState } from '../ui/states.js';
import { MailboxFields } from './mailbox-fields.js';
import { ScopeFields } from './scope-fields.js';

export interface KeyValues {
  readonly name: string;
  readonly kind: KeyKind;
  readonly approval: Approval;
  readonly scopes: readonly Scope[];
  readonly mailboxes: readonly MailboxGrant[];
  readonly member: string | null;
  readonly admin: boolean;
  readonly expiresAt: string | null;
}

const dayMs = 86_400_000;
const lives = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The values of a key, or of a new one. */
export const valuesOf = (key?: Key): KeyValues =>
  key
    ? {
        ...{ name: key.name, kind: key.kind, approval: key.approval ?? 'required' },
        ...{ scopes: key.scopes, mailboxes: key.mailboxes, member: key.member },
        ...{ admin: key.admin, expiresAt: key.expiresAt },
      }
    : {
        ...{ name: '', kind: 'human', approval: 'required', scopes: ['read:conversations'] },
        ...{ mailboxes: [], member: null, admin: false, expiresAt: null },
      };

/** The rights of a key, to be given or changed. */
export function KeyForm(props: {
  values: KeyValues;
  isNew: boolean;
  submitLabel: string;
  onSubmit: (values: KeyValues) => Promise<unknown>;
}): ReactElement {
  const { values, isNew, submitLabel, onSubmit } = props;
  const form = useForm<KeyValues & { problem: unknown }>({
    initialValues: { ...values, problem: null },
  });
  const { kind, approval, scopes, mailboxes } = form.values;
  const isAgent = kind === 'agent';
  useUnsavedText(form.isDirty());
  const submit = form.onSubmit(async ({ problem: _, ...given }) => {
    try {
      await onSubmit(given);
    } catch (error) {
      const faults = fieldErrorsOf(error);
      form.setErrors(faults);
      form.setFieldValue('problem', error);
    }
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          {...{ label: 'Name', required: true, maxLength: 120, 'data-autofocus': true }}
          description="What it is for; people see it beside what the key does."
          {...form.getInputProps('name')}
        />
        {isNew && (
          <Switch
            {...{ label: 'For an AI agent', checked: isAgent }}
            description="Its writes wait for a person, and it can never send mail."
            onChange={({ currentTarget: { checked } }) => {
              form.setFieldValue('kind', checked ? 'agent' : 'human');
              if (checked)
                form.setFieldValue(
                  'scopes',
                  scopes.filter((one) => one !== 'mail:send'),
                );
            }}
          />
        )}
        {isAgent && (
          <Switch
            {...{ label: 'A person decides about each write', checked: approval === 'required' }}
            onChange={({ currentTarget: { checked } }) =>
              form.setFieldValue('approval', checked ? 'required' : 'none')
            }
          />
        )}
        <ScopeFields
          {...{ value: scopes, canSend: !isAgent }}
          onChange={(next) => form.setFieldValue('scopes', next)}
        />
        <MailboxFields
          value={mailboxes}
          onChange={(next) => form.setFieldValue('mailboxes', next)}
        />
        <Whose form={form} isNew={isNew} />
        {form.values.problem !== null && <ErrorState error={form.values.problem} />}
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Form = ReturnType<typeof useForm<KeyValues & { problem: unknown }>>;

function Whose({ form, isNew }: { form: Form; isNew: boolean }): ReactElement {
  const { members } = useAccount();
  const { member, admin, expiresAt, kind } = form.values;
  return (
    <>
      <Select
        {...{
          label: 'Member',
          placeholder: 'None',
          clearable: true,
          searchable: true,
          value: member,
        }}
        description="Drafts, tasks, calendars and contacts are written in this member's name."
        data={members.map(({ email, name }) => ({ value: email, label: `${name} (${email})` }))}
        onChange={(next) => form.setFieldValue('member', next)}
        error={form.errors.member}
      />
      <Select
        {...{ label: 'Expires', allowDeselect: false }}
        data={
          isNew || expiresAt === null
            ? lives
            : [{ value: expiresAt, label: `As it is: ${expiresAt.slice(0, 10)}` }, ...lives]
        }
        defaultValue={expiresAt ?? ''}
        onChange={(days) =>
          form.setFieldValue('expiresAt', days?.includes('T') ? days : expiryIn(days))
        }
        error={form.errors.expiresAt}
      />
      {kind === 'human' && (
        <Checkbox
          {...{ label: 'An administrator’s key', checked: admin }}
          description="It sees what administrators see. Leave it off unless an integration asks for it."
          onChange={({ currentTarget: { checked } }) => form.setFieldValue('admin', checked)}
        />
      )}
    </>
  );
}

const expiryIn = (days: string | null): string | null =>
  days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null;
