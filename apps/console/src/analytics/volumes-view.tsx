import { SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { AnalyticsAnswer } from '@postroom/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { ErrorState, Loading } from '../ui/states.js';
import type { Period } from './analytics-search.js';
import { DayChart, DayTable } from './day-chart.js';
import { Figure, Share } from './figure.js';

type Volumes = AnalyticsAnswer['summary']['volumes'];

/** Messages by day and by mailbox, and what else was done. */
export function VolumesView(props: { period: Period; isTable: boolean }): ReactElement {
  const { from, to } = props.period;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['analytics', from, to],
    queryFn: ({ signal }) =>
      api.get<AnalyticsAnswer>('/v1/analytics/summary', { from, to }, signal),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <Loading />;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const { volumes } = data.summary;
  return (
    <Stack gap="lg">
      <Figures volumes={volumes} />
      <Stack gap="xs" component="section" aria-labelledby="by-day">
        <Title order={2} size="h4" id="by-day">
          Messages by day
        </Title>
        {props.isTable ? <DayTable days={volumes.byDay} /> : <DayChart days={volumes.byDay} />}
      </Stack>
      <Stack gap="xs" component="section" aria-labelledby="by-mailbox">
        <Title order={2} size="h4" id="by-mailbox">
          By mailbox
        </Title>
        <MailboxVolumes mailboxes={volumes.byMailbox} />
      </Stack>
    </Stack>
  );
}

const Figures = ({ volumes }: { volumes: Volumes }): ReactElement => {
  const { messages, conversations, comments, tasks } = volumes;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <Figure label="Received" value={messages.received} />
      <Figure label="Sent" value={messages.sent} />
      <Figure label="New conversations" value={conversations.created} />
      <Figure label="Open now" value={conversations.open} />
      <Figure label="Comments" value={comments} />
      <Figure label="Tasks completed" value={tasks.completed} />
    </SimpleGrid>
  );
};

type Mailboxes = AnalyticsAnswer['summary']['volumes']['byMailbox'];

/** The mailboxes by their share of what was received. */
function MailboxVolumes({ mailboxes }: { mailboxes: Mailboxes }): ReactElement {
  const total = mailboxes.reduce((sum, { received }) => sum + received, 0);
  const sorted = mailboxes.toSorted((a, b) => b.received - a.received);
  if (sorted.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You may read no mailbox.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={420} tabIndex={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Mailbox</Table.Th>
            <Table.Th w="40%">Share of what was received</Table.Th>
            <Table.Th ta="right">Received</Table.Th>
            <Table.Th ta="right">Sent</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map(({ mailbox, received, sent }) => (
            <Table.Tr key={mailbox}>
              <Table.Th scope="row" fw={400}>
                {mailbox}
              </Table.Th>
              <Table.Td>
                <Share part={received} total={total} />
              </Table.Td>
              <Table.Td ta="right">{received.toLocaleString('en')}</Table.Td>
              <Table.Td ta="right">{sent.toLocaleString('en')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
