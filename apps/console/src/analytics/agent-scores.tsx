import type { AgentDays } from '@postroom/contracts';
import { Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import type { Period } from './analytics-search.js';
import { Figure, Share } from './figure.js';
import { durationText, scoresOf, sumOf, type AgentScore, type Tally } from './scores.js';

/** The writes that agents filed, and their outcomes, by agent and operation. */
export function AgentScores(props: { period: Period; isTable: boolean }): ReactElement {
  const { from, to } = props.period;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['agents', from, to],
    queryFn: ({ signal }) => api.get<AgentDays>('/agents', { from, to }, signal),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <Loading />;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const agents = scoresOf(data.items);
  if (agents.length === 0)
    return (
      <EmptyState icon="agent" title="No agent has asked for anything">
        Writes that agents file for approval are counted here, with what was decided.
      </EmptyState>
    );
  const all = sumOf(data.items);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Figure label="Filed" value={all.filed} />
        <Figure label="Approved" value={all.approved} />
        <Figure label="Rejected" value={all.rejected} />
        <Figure label="Expired" value={all.expired} />
        <Figure label="Refused or failed" value={all.refused + all.failed} />
        <Figure label="Median decision" value={durationText(all.medianMs)} />
      </SimpleGrid>
      {props.isTable ? (
        <ScoreTable agents={agents} />
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {agents.map((agent) => (
            <AgentCard key={agent.keyId} agent={agent} />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

const AgentCard = ({ agent }: { agent: AgentScore }): ReactElement => (
  <Paper withBorder p="md" component="article" aria-label={agent.name}>
    <Title order={2} size="h4">
      <bdi>{agent.name}</bdi>
    </Title>
    <Text size="sm" c="dimmed" mb="xs">
      {agent.total.filed} filed, median decision {durationText(agent.total.medianMs)}. Approved of
      what was decided:
    </Text>
    <Stack gap={6}>
      {agent.operations.map(({ operation, tally }) => (
        <div key={operation}>
          <Text size="sm">
            {operation}{' '}
            <Text span size="xs" c="dimmed">
              {summaryOf(tally)}
            </Text>
          </Text>
          <Share part={tally.approved} total={tally.approved + tally.rejected} />
        </div>
      ))}
    </Stack>
  </Paper>
);

const summaryOf = ({ filed, approved, rejected, expired, refused, failed }: Tally): string =>
  [
    `${filed} filed`,
    ...(approved > 0 ? [`${approved} approved`] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(expired > 0 ? [`${expired} expired`] : []),
    ...(refused + failed > 0 ? [`${refused + failed} refused or failed`] : []),
  ].join(', ');

const columns = ['filed', 'approved', 'rejected', 'expired', 'refused', 'failed'] as const;

const ScoreTable = ({ agents }: { agents: readonly AgentScore[] }): ReactElement => (
  <Table.ScrollContainer minWidth={760} tabIndex={0} type="native">
    <Table aria-label="Agents by operation">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Agent</Table.Th>
          <Table.Th>Operation</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column} ta="right" tt="capitalize">
              {column}
            </Table.Th>
          ))}
          <Table.Th ta="right">Median decision</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {agents.flatMap(({ keyId, name, operations }) =>
          operations.map(({ operation, tally }) => (
            <Table.Tr key={keyId + operation}>
              <Table.Th scope="row" fw={400}>
                <bdi>{name}</bdi>
              </Table.Th>
              <Table.Td>{operation}</Table.Td>
              {columns.map((column) => (
                <Table.Td key={column} ta="right">
                  {tally[column].toLocaleString('en')}
                </Table.Td>
              ))}
              <Table.Td ta="right">{durationText(tally.medianMs)}</Table.Td>
            </Table.Tr>
          )),
        )}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
