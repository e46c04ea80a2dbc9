import { Anchor, Table, Text } from '@mantine/core';
import type { AuditEntry, AuditPage, RefusalPage } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { ErrorState, Loading } from '../ui/states.js';
import { Time } from '../ui/time.js';

/** Times between two looks for a line that the audit gets some moments after the write. */
const lookMs = [300, 500, 1_000, 2_000, 4_000];

/** The latest lines of the audit that a key has caused; `awaits`: the action of one that is sure to come. */
export function KeyActivity(props: { keyId: string; awaits?: string }): ReactElement {
  const { keyId, awaits } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', 'of-key', keyId],
    queryFn: ({ signal }) => api.get<AuditPage>('/audit', { actor: keyId, limit: 20 }, signal),
    refetchInterval: ({ state }) =>
      awaits === undefined || state.data?.items.some(({ action }) => action === awaits)
        ? false
        : (lookMs[state.dataUpdateCount - 1] ?? false),
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading what it did" />;
  if (data.items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It has written nothing yet. What it reads is not recorded.
      </Text>
    );
  return (
    <Table>
      <Table.Tbody>
        {data.items.map((entry) => (
          <ActivityRow key={entry.id} entry={entry} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

const ActivityRow = ({ entry }: { entry: AuditEntry }): ReactElement => (
  <Table.Tr>
    <Table.Td w={90}>
      <Time at={entry.at} />
    </Table.Td>
    <Table.Td>{entry.action}</Table.Td>
    <Table.Td>
      {entry.subjectId?.startsWith('apr_') ? (
        <Anchor component={Link} to={`/approvals/${entry.subjectId}`} size="sm">
          the request
        </Anchor>
      ) : (
        <bdi>{entry.subjectName ?? entry.subjectId ?? ''}</bdi>
      )}
      {entry.approvedByName !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          approved by <bdi>{entry.approvedByName}</bdi>
        </Text>
      )}
    </Table.Td>
  </Table.Tr>
);

/** The latest writes that were refused to a key, and the check that refused each. */
export function KeyRefusals({ keyId }: { keyId: string }): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', keyId, 'refusals'],
    queryFn: ({ signal }) => api.get<RefusalPage>(`/keys/${keyId}/refusals`, { limit: 20 }, signal),
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading what was refused" />;
  if (data.refusals.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing was refused to it in the last 7 days.
      </Text>
    );
  return (
    <Table>
      <Table.Tbody>
        {data.refusals.map(({ at, operation, status, code, rule, requestId }) => (
          <Table.Tr key={requestId}>
            <Table.Td w={90}>
              <Time at={at} />
            </Table.Td>
            <Table.Td>{operation}</Table.Td>
            <Table.Td>
              {status} {code}, by the check of {rule.replaceAll('_', ' ')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
