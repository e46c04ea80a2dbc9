import { Badge, Box, Button, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { Delivery, DeliveryAnswer, DeliveryAttempt } from '@postroom/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Time } from '../ui/time.js';

const colours = { succeeded: 'teal.9', failed: 'red.9', pending: 'gray' } as const;

/** A delivery, with its attempts and its request when it is opened. */
export function DeliveryRow(props: { delivery: Delivery; isOpenAtFirst?: boolean }): ReactElement {
  const { delivery } = props;
  const [isOpen, setIsOpen] = useState(props.isOpenAtFirst ?? false);
  const { eventType, status, attempts, createdAt, nextAttemptAt, redelivery } = delivery;
  const last = attempts.at(-1);
  return (
    <Box component="article" aria-label={`${eventType}, ${status}`}>
      <UnstyledButton w="100%" py={6} onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
        <Group gap="xs">
          <Badge color={colours[status]} variant="filled" tt="none" size="sm">
            {status}
          </Badge>
          <Text size="sm" fw={500}>
            {eventType}
          </Text>
          <Text size="xs" c="dimmed">
            {last && outcomeOf(last)}
            {redelivery > 0 && ' · sent again'}
            {nextAttemptAt !== null && (
              <>
                {' '}
                · next attempt <Time at={nextAttemptAt} form="relative" />
              </>
            )}
          </Text>
          <Text size="xs" c="dimmed" ml="auto">
            <Time at={createdAt} />
          </Text>
        </Group>
      </UnstyledButton>
      {isOpen && <Attempts delivery={delivery} />}
    </Box>
  );
}

/** The outcome of an attempt in a few words. */
function outcomeOf({ status, error, durationMs }: DeliveryAttempt): string {
  const what = status === null ? (error?.replaceAll('_', ' ') ?? 'under way') : String(status);
  return durationMs === null ? what : `${what} in ${durationMs} ms`;
}

function Attempts({ delivery }: { delivery: Delivery }): ReactElement {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => api.post<DeliveryAnswer>(`/deliveries/${delivery.id}/redeliver`),
    onSuccess: () => {
      tellDone('It is sent again');
      return client.invalidateQueries({ queryKey: ['deliveries', delivery.webhookId] });
    },
    onError: (error) => tellFailure(error),
  });
  return (
    <Stack gap="xs" pl="md" pb="sm">
      {delivery.attempts.map((attempt) => (
        <Box key={attempt.number}>
          <Text size="sm">
            Attempt {attempt.number}, <Time at={attempt.at} />: {outcomeOf(attempt)}
          </Text>
          {attempt.responseExcerpt !== null && attempt.responseExcerpt !== '' && (
            <Shown label={`Answer ${attempt.number}`} text={attempt.responseExcerpt} />
          )}
        </Box>
      ))}
      <RequestOf delivery={delivery} />
      <Group>
        <Button
          {...{ size: 'compact-sm', variant: 'default', loading: again.isPending }}
          disabled={delivery.status === 'pending'}
          onClick={() => again.mutate()}
        >
          Send again
        </Button>
      </Group>
    </Stack>
  );
}

/** The request as it was sent; lists have its beginning alone. */
function RequestOf({ delivery }: { delivery: Delivery }): ReactElement | null {
  const { data } = useQuery({
    queryKey: ['deliveries', 'one', delivery.id, delivery.attempts.length, delivery.status],
    queryFn: ({ signal }) =>
      api.get<DeliveryAnswer>(`/deliveries/${delivery.id}`, undefined, signal),
  });
  const request = data?.delivery.request ?? delivery.request;
  if (!request) return null;
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  return <Shown label="Request" text={[...headers, '', request.body ?? ''].join('\n')} />;
}

const Shown = ({ label, text }: { label: string; text: string }): ReactElement => (
  <Box role="group" aria-label={label}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Code
      {...{ block: true, tabIndex: 0, mah: 260 }}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' }}
    >
      {text}
    </Code>
  </Box>
);
