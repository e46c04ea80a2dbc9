import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { ApiProblem } from '../api/problem.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { Icon } from './icons.js';

/** A field that another member has changed too, meanwhile. */
interface Conflict {
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
const changedFields = <V extends object>(before: V, now: V): (keyof V & string)[] =>
  (Object.keys(now) as (keyof V & string)[]).filter((field) => !same(before[field], now[field]));

const valueInWords = (value: unknown): string => {
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

/** The form of a record that others change too, from the version that was opened. */
export function useEdits<R, V extends object>(
  form: UseFormReturnType<V>,
  record: R,
  valuesOf: (record: R) => V,
  labels: Readonly<Record<string, string>>,
) {
  const [opened, setOpened] = useState(record);
  const [conflicts, setConflicts] = useState<readonly Conflict[] | null>(null);
  const changed = changedFields(valuesOf(opened), form.values);
  useUnsavedText(changed.length > 0);
  const take = (field: string): void =>
    form.setFieldValue(field, Reflect.get(valuesOf(opened), field) as never);
  return {
    ...{ opened, changed },
    notice: conflicts && <ConflictNotice {...{ conflicts, onTake: take }} />,
    /** Goes on from the version that a colleague has saved meanwhile. */
    meet: (latest: R): void => {
      const merged = mergeEdits(valuesOf(opened), form.values, valuesOf(latest), labels);
      form.setValues(merged.values);
      setConflicts(merged.conflicts);
      setOpened(latest);
    },
  };
}

/**
 * Brings a form to another version of its record: fields that only others have changed take their value,
 * and those that both have changed keep what was typed, and are told.
 */
function mergeEdits<V extends object>(
  before: V,
  mine: V,
  theirs: V,
  labels: Readonly<Record<string, string>>,
): { readonly values: V; readonly conflicts: readonly Conflict[] } {
  const own = new Set<string>(changedFields(before, mine));
  const [values, taken, given] = [{ ...mine }, theirs as Values, mine as Values];
  const conflicts: Conflict[] = [];
  for (const field of changedFields(before, theirs)) {
    if (!own.has(field)) values[field] = theirs[field];
    else if (!same(taken[field], given[field]))
      conflicts.push({
        ...{ field, label: labels[field] ?? field },
        ...{ mine: valueInWords(given[field]), theirs: valueInWords(taken[field]) },
      });
  }
  return { values, conflicts };
}

/** Both values of each field that two people have changed at once; saving again keeps one's own. */
function ConflictNotice(props: {
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
          <Table
            aria-label="Values that differ"
            style={{ overflowWrap: 'anywhere' }}
            data={{
              head: ['Field', 'Yours', 'Theirs'],
              body: conflicts.map(({ field, label, mine, theirs }) => [
                label,
                <bdi key="mine">{mine}</bdi>,
                <Group key="theirs" gap="xs">
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
                </Group>,
              ]),
            }}
          />
        )}
      </Stack>
    </Alert>
  );
}
