import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { ApiProblem } from '../api/problem.js';
import { Icon } from './icons.js';

/** A field that somebody else has changed too, meanwhile. */
export interface Conflict {
  readonly field: string;
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
}

export const isVersionConflict = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'VERSION_CONFLICT';

type Values = Readonly<Record<string, unknown>>;

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The fields that differ from what they were. */
export const changedFields = <V extends object>(before: V, now: V): (keyof V & string)[] =>
  (Object.keys(now) as (keyof V & string)[]).filter((field) => !same(before[field], now[field]));

export const valueInWords = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '(empty)';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.length === 0 ? '(empty)' : value.map(entryInWords).join('; ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : JSON.stringify(value);
};

const entryInWords = (entry: unknown): string =>
  typeof entry === 'object' && entry !== null
    ? Object.values(entry)
        .filter((part) => typeof part === 'string' && part !== '')
        .join(', ')
    : String(entry);

/**
 * Brings a form to another version of its record: fields that only others have changed take their value,
 * and those that both have changed keep what was typed, and are told.
 */
export function mergeEdits<V extends object>(
  before: V,
  mine: V,
  theirs: V,
  labels: Readonly<Record<string, string>>,
  inWords: (value: unknown, field: string) => string = valueInWords,
): { readonly values: V; readonly conflicts: readonly Conflict[] } {
  const own = new Set<string>(changedFields(before, mine));
  const [values, taken, given] = [{ ...mine }, theirs as Values, mine as Values];
  const conflicts: Conflict[] = [];
  for (const field of changedFields(before, theirs)) {
    if (!own.has(field)) values[field] = theirs[field];
    else if (!same(taken[field], given[field]))
      conflicts.push({
        ...{ field, label: labels[field] ?? field },
        ...{ mine: inWords(given[field], field), theirs: inWords(taken[field], field) },
      });
  }
  return { values, conflicts };
}

/** Both values of each field that two people have changed at once; saving again keeps one's own. */
export function ConflictNotice(props: {
  conflicts: readonly Conflict[];
  onTake: (field: string) => void;
}): ReactElement {
  const { conflicts, onTake } = props;
  const [taken, setTaken] = useState<readonly string[]>([]);
  return (
    <Alert
      color="orange"
      icon={<Icon name="warning" />}
      title="Somebody else changed this meanwhile"
    >
      <Stack gap="xs">
        <Text size="sm">
          {conflicts.length === 0
            ? 'What they changed is shown below, beside what you typed. Save again.'
            : 'What you typed is still here. Save again to keep it, or take theirs.'}
        </Text>
        {conflicts.length > 0 && (
          <Table aria-label="Values that differ">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Theirs</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {conflicts.map(({ field, label, mine, theirs }) => (
                <Table.Tr key={field}>
                  <Table.Td>{label}</Table.Td>
                  <Table.Td>
                    <bdi>{mine}</bdi>
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs">
                      <bdi>{theirs}</bdi>
                      <Button
                        {...{ size: 'compact-xs', variant: 'default' }}
                        disabled={taken.includes(field)}
                        onClick={() => {
                          setTaken([...taken, field]);
                          onTake(field);
                        }}
                      >
                        {taken.includes(field) ? 'Taken' : 'Take theirs'}
                      </Button>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Alert>
  );
}
