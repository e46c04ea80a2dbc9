import { ActionIcon, Anchor, Badge, Code, Group, Table, Text } from '@mantine/core';
import { Fragment, useState, type ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { Time, wholeTime } from '../ui/time.js';
import type { Entry } from './audit-query.js';
import type { AuditSearch } from './audit-search.js';

type Filter = (patch: AuditSearch) => void;

/** The entries, newest first; each unfolds to all that is known of it. */
export function AuditTable(props: { entries: readonly Entry[]; onFilter: Filter }): ReactElement {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Table.ScrollContainer minWidth={330} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={64}>When</Table.Th>
            <Table.Th>Who</Table.Th>
            <Table.Th>Action</Table.Th>
            <Table.Th visibleFrom="sm">Subject</Table.Th>
            <Table.Th w={48}>
              <span className="visually-hidden">Details</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.entries.map((entry) => (
            <Fragment key={entry.id}>
              <EntryRow
                {...{ entry, isOpen: open === entry.id, onFilter: props.onFilter }}
                onToggle={() => setOpen(open === entry.id ? null : entry.id)}
              />
              {open === entry.id && <Details entry={entry} onFilter={props.onFilter} />}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const EntryRow = (props: {
  entry: Entry;
  isOpen: boolean;
  onFilter: Filter;
  onToggle: () => void;
}): ReactElement => {
  const { entry, isOpen, onToggle } = props;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" c="dimmed" component="span">
          <Time at={entry.at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Actor entry={entry} />
      </Table.Td>
      <Table.Td>
        <Code style={{ overflowWrap: 'anywhere' }}>{entry.action}</Code>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {entry.subjectId !== null && (
          <Text size="sm" truncate maw={240}>
            <bdi>{entry.subjectName ?? entry.subjectId}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <ActionIcon
          {...{ variant: 'subtle', color: 'gray', 'aria-expanded': isOpen, onClick: onToggle }}
          aria-label={`Details of ${entry.action} at ${wholeTime(new Date(entry.at))}`}
        >
          <Icon name={isOpen ? 'down' : 'next'} size={14} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
};

const ways: Readonly<Record<Entry['source'], string>> = {
  ...{ app: 'console', api: 'API', mcp: 'MCP', inbound: 'incoming mail' },
  automation: 'automation',
};

const Actor = ({ entry }: { entry: Entry }): ReactElement => (
  <Group gap={6} wrap="nowrap">
    {entry.actor.type === 'key' && <Icon name="key" size={14} />}
    <Text size="sm" truncate maw={{ base: 110, sm: 220 }}>
      <bdi>{nameOf(entry)}</bdi>
    </Text>
    {entry.source !== 'app' && (
      <Badge size="xs" variant="default">
        {ways[entry.source]}
      </Badge>
    )}
  </Group>
);

const nameOf = ({ actor }: Entry): string =>
  actor.type === 'system' ? 'Postroom' : (actor.name ?? `removed (${actor.id ?? 'unknown'})`);

const Details = ({ entry, onFilter }: { entry: Entry; onFilter: Filter }): ReactElement => {
  const lines: readonly (readonly [string, string | null])[] = [
    ['When', wholeTime(new Date(entry.at))],
    ['Who', entry.actor.id === null ? nameOf(entry) : `${nameOf(entry)}, ${entry.actor.id}`],
    ['By way of', ways[entry.source]],
    ['Approved by', entry.approvedBy && (entry.approvedByName ?? entry.approvedBy)],
    ['Subject', entry.subjectId],
    ['Request', entry.requestId],
    ['Took', entry.durationMs === null ? null : `${entry.durationMs} ms`],
    ['Place in the chain', `${entry.position.toLocaleString('en')}, ${entry.id}`],
    ['Seal', entry.hash],
  ];
  return (
    <Table.Tr>
      <Table.Td colSpan={5} bg="var(--mantine-color-default-hover)">
        <Table withRowBorders={false} verticalSpacing={2} layout="fixed">
          <Table.Tbody>
            {lines.map(
              ([label, value]) =>
                value !== null && (
                  <Table.Tr key={label}>
                    <Table.Th w={{ base: 96, sm: 150 }} fw={500} c="dimmed" fz="sm" scope="row">
                      {label}
                    </Table.Th>
                    <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
                      <bdi>{value}</bdi>
                    </Table.Td>
                  </Table.Tr>
                ),
            )}
          </Table.Tbody>
        </Table>
        <Group gap="md" px="xs" pt={6}>
          {entry.subjectId !== null && (
            <Only
              text="All of this subject"
              patch={{ subject: entry.subjectId }}
              {...{ onFilter }}
            />
          )}
          {entry.actor.id !== null && (
            <Only text="All by this actor" patch={{ actor: entry.actor.id }} {...{ onFilter }} />
          )}
          <Only text="All of this action" patch={{ action: entry.action }} {...{ onFilter }} />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
};

const Only = (props: { text: string; patch: AuditSearch; onFilter: Filter }): ReactElement => (
  <Anchor component="button" size="sm" onClick={() => props.onFilter(props.patch)}>
    {props.text}
  </Anchor>
);
