import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import type { RedeliveredFailed, Webhook } from '@postroom/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { tellDone } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';

const hourMs = 3_600_000;
const spans = [
  { label: 'the last hour', ms: hourMs },
  { label: 'the last 24 hours', ms: 24 * hourMs },
  { label: 'the last 7 days', ms: 7 * 24 * hourMs },
];

/** Sends again what has failed since a time, once that is confirmed. */
export function SendFailed(props: { webhook: Webhook; onDone: () => void }): ReactElement {
  const { webhook, onDone } = props;
  const [span, setSpan] = useState<(typeof spans)[number] | null>(null);
  const send = useMutation({
    mutationFn: (ms: number) =>
      api.post<RedeliveredFailed>(`/webhooks/${webhook.id}/redeliver-failed`, {
        since: new Date(Date.now() - ms).toISOString(),
      }),
    onSuccess: ({ redelivered, expired }) => {
      setSpan(null);
      tellDone(`${redelivered} sent again${expired > 0 ? `, ${expired} too old` : ''}`);
      onDone();
    },
  });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default">
            Send failed again…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {spans.map((one) => (
            <Menu.Item key={one.ms} onClick={() => setSpan(one)}>
              Since {one.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={span !== null} onClose={() => setSpan(null)} title="Send failed ones again?">
        {span && (
          <Stack>
            <Text size="sm">
              Everything that failed in {span.label}, and was not delivered since, goes to{' '}
              {webhook.url} once more: 10,000 at most.
            </Text>
            {send.error && <ErrorState error={send.error} />}
            <Group justify="flex-end">
              <Button loading={send.isPending} onClick={() => send.mutate(span.ms)}>
                Send again
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
