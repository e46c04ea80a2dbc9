import { ActionIcon, Anchor, Group, Table, Text } from '@mantine/core';
import type { ApprovalPage } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { headlineOf, titleOf } from '../approvals/request/headline.js';
import { Icon } from '../ui/icons.js';
import { MarkedText } from '../ui/marked-text.js';
import { Time, wholeTime } from '../ui/time.js';
import type { Entry } from './audit-query.js';
import type { AuditSearch } from './audit-search.js';
import { deedOf, pageOf } from './sentences.js';

type Filter = (patch: AuditSearch) => void;

/** The entries as sentences, newest first; each unfolds to all that is known of it. */
export function AuditTable(props: { entries: readonly Entry[]; onFilter: Filter }): ReactElement {
  const [open, setOpen] = useState<string | null>(null);
  const requests = useRequests(props.entries);
  return (
    <Table verticalSpacing={8} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={72}>When</Table.Th>
          <Table.Th>What happened</Table.Th>
          <Table.Th w={48}>
            <span className="visually-hidden">Details</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {props.entries.map((entry) => (
          <Fragment key={entry.id}>
            <EntryRow
              {...{ entry, isOpen: open === entry.id }}
              request={requests.get(entry.subjectId ?? '')}
              onToggle={() => setOpen(open === entry.id ? null : entry.id)}
            />
            {open === entry.id && <Details entry={entry} onFilter={props.onFilter} />}
          </Fragment>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The headlines of requests that are named here, as far as they are among the latest. */
function useRequests(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    queryKey: ['approvals', 'named'],
    queryFn: async ({ signal }) => {
      const pages = ['open', 'closed'].map((state) =>
        api.get<ApprovalPage>('/approvals', { state, limit: 100 }, signal),
      );
      return (await Promise.all(pages)).flatMap(({ items }) => items);
    },
    enabled: entries.some(({ subjectId }) => subjectId?.startsWith('apr_')),
  });
  return new Map(
    data.map((one) => [one.id, [headlineOf(one), titleOf(one)].filter(Boolean).join(': ')]),
  );
}

const EntryRow = (props: {
  entry: Entry;
  request: string | undefined;
  isOpen: boolean;
  onToggle: () => void;
}): ReactElement => {
  const { entry, request, isOpen, onToggle } = props;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" c="dimmed" component="span">
          <Time at={entry.at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Sentence {...{ entry, request }} />
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
  ...{ app: 'in the console', api: 'over the API', mcp: 'over MCP' },
  ...{ inbound: 'by incoming mail', automation: 'by automation' },
};

function Sentence({ entry, request }: { entry: Entry; request: string | undefined }): ReactElement {
  const { source, subjectId, approvedBy, approvedByName } = entry;
  const page = pageOf(subjectId);
  const deed = deedOf(entry);
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      <Text span inherit fw={600}>
        <bdi>{nameOf(entry)}</bdi>
      </Text>{' '}
      {page === null ? (
        <bdi>{deed}</bdi>
      ) : (
        <Anchor component={Link} to={page} inherit c="inherit" underline="always">
          <bdi>{deed}</bdi>
        </Anchor>
      )}
      {request !== undefined && (
        <>
          : <MarkedText text={request} />
        </>
      )}
      {approvedBy !== null && (
        <>
          , approved by <bdi>{approvedByName ?? approvedBy}</bdi>
        </>
      )}
      <Text span size="xs" c="dimmed" ml={8}>
        {source !== 'app' && ways[source]}
      </Text>
    </Text>
  );
}

const nameOf = ({ actor }: Entry): string =>
  actor.type === 'system' ? 'Postroom' : (actor.name ?? `removed (${actor.id ?? 'unknown'})`);

const Details = ({ entry, onFilter }: { entry: Entry; onFilter: Filter }): ReactElement => {
  const lines: readonly (readonly [string, string | null])[] = [
    ['When', wholeTime(new Date(entry.at))],
    ['Who', entry.actor.id === null ? nameOf(entry) : `${nameOf(entry)}, ${entry.actor.id}`],
    ['Action', entry.action],
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
      <Table.Td colSpan={3} bg="var(--mantine-color-default-hover)">
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
