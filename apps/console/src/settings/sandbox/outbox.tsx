import type { SentMail, SentMailPage } from '@postroom/contracts';
import { Anchor, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { conversationPath } from '../../shell/places.js';
import { useStreamEvents } from '../../stream/stream.js';
import { Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { ErrorState, Loading, ShowMore } from '../../ui/states.js';
import { Time } from '../../ui/time.js';

const outboxQuery = infiniteQueryOptions({
  queryKey: ['settings', 'sandbox', 'outbox'],
  queryFn: ({ pageParam, signal }) =>
    api.get<SentMailPage>('/sandbox/outbox', { limit: 20, pageToken: pageParam }, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextPageToken }) => nextPageToken,
});

/** The mail that would have left. */
export function Outbox(): ReactElement {
  const client = useQueryClient();
  const query = useInfiniteQuery(outboxQuery);
  const { data, error, refetch } = query;
  useStreamEvents(({ type }) => {
    if (/^(draft\.sent|conversation)/.test(type)) void client.invalidateQueries(outboxQuery);
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="Outbox"
      about="What was sent; none of it has left. Mail to bounce@, complain@ and reject@sandbox.invalid is answered as their names say."
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && items.length === 0 && <Text size="sm">Nothing yet.</Text>}
      {items.length > 0 && (
        <Rows label="Outbox">
          {items.map((sent) => (
            <Sent key={sent.id} of={sent} />
          ))}
        </Rows>
      )}
      <ShowMore query={query} />
    </Section>
  );
}

function Sent({ of }: { of: SentMail }): ReactElement {
  const to = [...of.to, ...of.cc, ...of.bcc].map(({ email }) => email);
  const [first = '', ...others] = to;
  return (
    <Row
      title={
        <Anchor
          {...{ component: Link, inherit: true }}
          to={conversationPath(of.threadId, of.mailbox)}
        >
          <bdi>{of.subject || '(no subject)'}</bdi>
        </Anchor>
      }
      about={
        <>
          From {of.mailbox} to <bdi>{first}</bdi>
          {others.length > 0 && ` and ${others.length} more`} · <Time at={of.sentAt} form="day" />
        </>
      }
    />
  );
}
