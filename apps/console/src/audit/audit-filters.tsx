import { Button, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { KeyList } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import type { Entry } from './audit-query.js';
import type { AuditSearch } from './audit-search.js';
import { actionChoices } from './sentences.js';

interface FilterProps {
  readonly search: AuditSearch;
  readonly entries: readonly Entry[];
  /** An empty text takes a filter away. */
  readonly onChange: (patch: AuditSearch) => void;
}

/** Filters by actor, action, subject and time. */
export function AuditFilters({ search, entries, onChange }: FilterProps): ReactElement {
  const actors = useActors(search.actor, entries);
  const actions = [...entries.map(({ action }) => action), search.action ?? []].flat();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" verticalSpacing="xs">
      <Select
        {...{ label: 'Who', placeholder: 'Anybody', data: actors, value: search.actor ?? null }}
        {...{ searchable: true, clearable: true, nothingFoundMessage: 'Nobody' }}
        onChange={(actor) => onChange({ actor: actor ?? '' })}
      />
      <Select
        {...{ label: 'Action', placeholder: 'Any action', value: search.action ?? null }}
        {...{ searchable: true, clearable: true, nothingFoundMessage: 'No such action' }}
        {...{
          data: actionChoices(actions),
          comboboxProps: { width: 300, position: 'bottom-start' },
        }}
        onChange={(action) => onChange({ action: action ?? '' })}
      />
      <Subject
        key={search.subject}
        given={search.subject ?? ''}
        onEnd={(subject) => onChange({ subject })}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          {...{ type: 'date', label: end === 'from' ? 'From' : 'To', value: search[end] ?? '' }}
          onChange={({ currentTarget: { value } }) => onChange({ [end]: value })}
        />
      ))}
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          style={{ alignSelf: 'end' }}
          onClick={() => onChange({ actor: '', action: '', subject: '', from: '', to: '' })}
        >
          Clear
        </Button>
      )}
    </SimpleGrid>
  );
}

/** The identifier of what entries are about: it counts once it is complete. */
function Subject(props: { given: string; onEnd: (value: string) => void }): ReactElement {
  const [value, setValue] = useState(props.given);
  const end = (): void => {
    if (value.trim() !== props.given) props.onEnd(value.trim());
  };
  return (
    <TextInput
      {...{ label: 'Subject', placeholder: 'Any identifier', value, onBlur: end }}
      onChange={({ currentTarget }) => setValue(currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') end();
      }}
    />
  );
}

/** Members, keys, and other actors in the entries. */
function useActors(
  chosen: string | undefined,
  entries: readonly Entry[],
): { value: string; label: string }[] {
  const { members } = useAccount();
  const keys = useQuery({
    queryKey: ['keys', 'named'],
    queryFn: ({ signal }) => api.get<KeyList>('/keys', undefined, signal),
  });
  const names = new Map<string, string>();
  if (chosen !== undefined) names.set(chosen, chosen);
  for (const { actor } of entries)
    if (actor.id !== null) names.set(actor.id, actor.name ?? `removed (${actor.id})`);
  for (const { id, name } of members) names.set(id, name);
  for (const { id, name } of keys.data?.items ?? []) names.set(id, `${name} (key)`);
  return [...names].map(([value, label]) => ({ value, label }));
}
