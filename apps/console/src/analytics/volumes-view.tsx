import type { AnalyticsAnswer } from '@postroom/contracts';
import { SimpleGrid, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { ErrorState, Loading } from '../ui/states.js';
import type { Period } from './analytics-search.js';
import { DayChart } from './day-chart.js';
import { DayTable } from './day-table.js';
import { Figure } from './figure.js';
import { MailboxVolumes } from './mailbox-volumes.js';

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
