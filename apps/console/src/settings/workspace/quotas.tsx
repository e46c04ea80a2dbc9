import type { WorkspaceSettings } from '@postroom/contracts';
import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Section } from '../../ui/page.js';

type AllQuotas = NonNullable<WorkspaceSettings['quotas']>;

const names: Readonly<Record<keyof AllQuotas, string>> = {
  members: 'Members',
  mailboxes: 'Mailboxes',
  keys: 'API keys',
  storedBytes: 'Stored mail and files',
  arrivingBytes: 'Mail that arrived today',
  drafts: 'Drafts',
  comments: 'Comments',
  contacts: 'Contacts',
  events: 'Events',
  tasks: 'Tasks',
};

const numbers = new Intl.NumberFormat('en');

/** The shares of what the workspace may have that it has. */
export const Quotas = ({ quotas }: { quotas: AllQuotas | null }): ReactElement => (
  <Section title="Use" about="The operator of Postroom sets what a workspace may have.">
    {quotas === null ? (
      <Text size="sm">The counts cannot be read just now.</Text>
    ) : (
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {(Object.keys(names) as (keyof AllQuotas)[]).map((name) => (
          <Use key={name} {...{ name, ...quotas[name] }} />
        ))}
      </SimpleGrid>
    )}
  </Section>
);

function Use(props: { name: keyof AllQuotas; limit: number; used: number }): ReactElement {
  const { name, limit, used } = props;
  const share = limit === 0 ? 100 : Math.min(100, (100 * used) / limit);
  const write = name.endsWith('Bytes') ? bytes : (value: number) => numbers.format(value);
  const text = `${write(used)} of ${write(limit)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm">{names[name]}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          {...{ value: share, color: share > 90 ? 'red' : 'indigo' }}
          aria-label={names[name]}
          aria-valuetext={text}
        />
      </Progress.Root>
    </Stack>
  );
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in the unit in which it has at most three digits before the point. */
function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const amount = value / 1_000 ** power;
  return `${amount >= 100 || power === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}
