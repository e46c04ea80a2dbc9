import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import type { ApprovalRequest, AuditPage } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { deedOf } from '../audit/sentences.js';
import { Thread } from '../approvals/thread.js';
import { conversationOf } from '../approvals/request/headline.js';
import { KeyActivity } from '../keys/key-activity.js';
import { Step } from './step.js';

/** The effects of a decided request: the change, its event, and the lines of the audit. */
export function WhatCame(props: {
  approval: ApprovalRequest;
  events: readonly string[];
}): ReactElement {
  const { approval, events } = props;
  const conversation = conversationOf(approval);
  const isDone = approval.state === 'executed';
  return (
    <>
      <Step number={4} title="The change">
        {isDone ? (
          <Stack gap="sm">
            <Text size="sm">It is written, as the agent asked and you approved.</Text>
            {conversation && <Thread {...conversation} />}
          </Stack>
        ) : (
          <Text size="sm">
            Nothing was written. Ask the agent again to see the rest of the way.
          </Text>
        )}
      </Step>
      <Step number={5} title="The event and the audit">
        <Stack gap="sm">
          {events.length > 0 && (
            <Group gap={6}>
              <Text size="sm">Told to pages, webhooks and the feed:</Text>
              {events.map((name) => (
                <Badge key={name} variant="default" tt="none">
                  {name}
                </Badge>
              ))}
            </Group>
          )}
          <AuditLines approval={approval} />
          <Text size="sm">
            Next:{' '}
            <Anchor component={Link} to="/webhooks" inherit underline="always">
              receive events by webhook
            </Anchor>
            , or see{' '}
            <Anchor component={Link} to="/approvals" inherit underline="always">
              all that waits
            </Anchor>
            .
          </Text>
        </Stack>
      </Step>
    </>
  );
}

/** The lines about the decision, and those of the key. */
function AuditLines({ approval }: { approval: ApprovalRequest }): ReactElement {
  const { id, requestedBy, state, operation } = approval;
  const { data } = useQuery({
    queryKey: ['audit', 'of-subject', id],
    queryFn: ({ signal }) => api.get<AuditPage>('/audit', { subject: id, limit: 10 }, signal),
  });
  return (
    <Stack gap={4} role="group" aria-label="Audit">
      {data?.items.map((entry) => (
        <Text key={entry.id} size="sm">
          <bdi>{entry.actor.name ?? 'Postroom'}</bdi> {deedOf(entry)}
        </Text>
      ))}
      <KeyActivity keyId={requestedBy.keyId} {...(state === 'executed' && { awaits: operation })} />
    </Stack>
  );
}
