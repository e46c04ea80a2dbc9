import { Group, Loader, Stack, Text } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ApprovalView } from '../approvals/approval-view.js';
import { approvalQuery, isOpen } from '../approvals/queue.js';
import type { StreamEvent } from '../stream/event-reader.js';
import { useStreamEvents } from '../stream/stream.js';
import { isUseOf } from '../keys/keys-query.js';
import { Icon } from '../ui/icons.js';
import { Step } from './step.js';
import { WhatCame } from './what-came.js';

/** The approval in an event of the stream, if it is one of the key. */
function filedBy(keyId: string, { type, data }: StreamEvent): string | null {
  if (type !== 'approval.filed') return null;
  const { id, requestedBy } = data.approval as Pick<ApprovalRequest, 'id' | 'requestedBy'>;
  return requestedBy.keyId === keyId ? id : null;
}

/** The first write that the key asks for, as it arrives: it is decided here, and its effects are shown. */
export function FirstCall({ keyId }: { keyId: string }): ReactElement {
  const [approvalId, setApprovalId] = useState<string | null>(null);
  const [hasCalled, setHasCalled] = useState(false);
  useStreamEvents((event) => {
    if (isUseOf(keyId, event)) setHasCalled(true);
    const id = filedBy(keyId, event);
    if (id !== null && approvalId === null) setApprovalId(id);
  });
  if (approvalId !== null) return <Asked key={approvalId} id={approvalId} />;
  return (
    <Step number={3} title="Let it ask for something">
      <Text size="sm" mb="sm">
        Ask the agent, for example: “Find the latest conversation of the inbox and draft an answer.”
        Its first request appears here by itself.
      </Text>
      <Stack gap={6} role="status">
        {hasCalled && (
          <Group gap="xs" c="teal.9" wrap="nowrap">
            <Icon name="check" size={16} />
            <Text size="sm">Its first call has arrived: the key works.</Text>
          </Group>
        )}
        <Group gap="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            {hasCalled ? 'Waiting for its first request to write' : 'Waiting for its first call'}
          </Text>
        </Group>
      </Stack>
    </Step>
  );
}

function Asked({ id }: { id: string }): ReactElement {
  const client = useQueryClient();
  const { data } = useQuery(approvalQuery(id, client));
  const [events, setEvents] = useState<readonly string[]>([]);
  useStreamEvents(({ type, data: told }) => {
    if (type.startsWith('approval.'))
      void client.invalidateQueries({ queryKey: ['approvals', 'one', id] });
    else if (type !== 'presence' && data) {
      const name = typeof told.by === 'string' ? told.by : type;
      setEvents((before) => [...new Set([...before, name])]);
    }
  });
  return (
    <>
      <Step number={3} title="Its first request">
        {data && <ApprovalView approval={data} onDecided={() => undefined} />}
      </Step>
      {data && !isOpen(data) && <WhatCame approval={data} events={events} />}
    </>
  );
}
