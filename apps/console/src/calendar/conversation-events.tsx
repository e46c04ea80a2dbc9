import type { EventRead } from '@postroom/contracts';
import { Anchor, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { useConversation } from '../inbox/conversation-query.js';
import { Icon } from '../ui/icons.js';

/** Events that are shown one by one. */
const shownMax = 20;

/** The events that a conversation is linked to, and the way to a new one. */
export function ConversationEvents(props: {
  conversationId: string;
  mailbox: string;
}): ReactElement {
  const { conversationId, mailbox } = props;
  const { data: conversation } = useConversation(conversationId, mailbox);
  const links = (conversation?.links.events ?? []).slice(0, shownMax);
  const events = useQueries({
    queries: links.map(({ id }) => ({
      queryKey: ['events', 'one', id],
      queryFn: () => api.get<EventRead>(`/v1/calendar-events/${id}`),
    })),
  });
  return (
    <Stack gap={6} align="flex-start">
      {links.map(({ id, title }, i) => (
        <LinkedEvent key={id} {...{ id, title, startMs: events[i]?.data?.event.startMs ?? null }} />
      ))}
      {conversation && links.length === 0 && (
        <Text size="sm" c="dimmed">
          No events yet
        </Text>
      )}
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/calendar" search={{ new: conversationId }} {...props} />}
      >
        Plan an event
      </Anchor>
    </Stack>
  );
}

const time = new Intl.DateTimeFormat('en', {
  ...{ weekday: 'short', day: 'numeric', month: 'short' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

const LinkedEvent = (props: {
  id: string;
  title: string;
  startMs: number | null;
}): ReactElement => (
  <Anchor
    {...{ size: 'sm', c: 'inherit' }}
    renderRoot={(rest) => (
      <Link
        to="/calendar"
        search={{ event: props.id, ...(props.startMs !== null && { on: dayOf(props.startMs) }) }}
        {...rest}
      />
    )}
  >
    <Icon name="calendar" size={14} /> <bdi>{props.title}</bdi>
    {props.startMs !== null && (
      <Text size="xs" c="dimmed" component="span" display="block">
        {time.format(props.startMs)}
      </Text>
    )}
  </Anchor>
);

/** The day in the browser's zone, as the address of the calendar has it. */
const dayOf = (ms: number): string => {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};
