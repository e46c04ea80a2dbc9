import { Alert, Checkbox, SimpleGrid, Stack } from '@mantine/core';
import type { Scope } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';

interface ScopeWords {
  readonly scope: Scope;
  readonly label: string;
  readonly grants: string;
}

/** Scopes that read. */
export const readScopes: readonly ScopeWords[] = [
  { scope: 'read:conversations', label: 'Conversations', grants: 'List, read and search mail.' },
  { scope: 'read:contacts', label: 'Contacts', grants: 'Read contacts.' },
  { scope: 'read:calendar', label: 'Calendar', grants: 'Read calendars and events.' },
  { scope: 'read:tasks', label: 'Tasks', grants: 'Read tasks.' },
  { scope: 'read:analytics', label: 'Analytics', grants: 'Read the figures of the workspace.' },
];

/** Scopes that write; an agent's writes may wait for a person. */
export const writeScopes: readonly ScopeWords[] = [
  {
    scope: 'write:conversations',
    label: 'Conversations',
    grants: 'Assign, comment, label, archive, snooze.',
  },
  { scope: 'drafts:write', label: 'Drafts', grants: 'Write drafts; never send them.' },
  { scope: 'write:contacts', label: 'Contacts', grants: 'Add, change and delete contacts.' },
  { scope: 'write:calendar', label: 'Calendar', grants: 'Add, change and delete events.' },
  { scope: 'write:tasks', label: 'Tasks', grants: 'Add, change and delete tasks.' },
];

interface ScopeFieldsProps {
  readonly value: readonly Scope[];
  readonly canSend: boolean;
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** The scopes of a key: what it reads, what it writes, and sending apart. */
export function ScopeFields({ value, canSend, onChange }: ScopeFieldsProps): ReactElement {
  const toggle = (scope: Scope): void =>
    onChange(value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope]);
  const group = (label: string, scopes: readonly ScopeWords[]): ReactElement => (
    <Checkbox.Group label={label} value={[...value]}>
      <Stack gap={8} mt={6}>
        {scopes.map(({ scope, label: name, grants }) => (
          <Checkbox
            key={scope}
            {...{ size: 'sm', value: scope, label: name, description: grants }}
            onChange={() => toggle(scope)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {group('Reads', readScopes)}
        {group('Writes', writeScopes)}
      </SimpleGrid>
      {canSend && (
        <Alert color="orange" variant="light" icon={<Icon name="warning" />} p="sm">
          <Checkbox
            {...{ checked: value.includes('mail:send'), label: 'Send mail' }}
            description="Mail leaves the workspace under its addresses, without a person in between. Give it to few keys."
            styles={{ description: { color: 'var(--mantine-color-text)' } }}
            onChange={() => toggle('mail:send')}
          />
        </Alert>
      )}
    </Stack>
  );
}
