import type { InvitationConfirmed, Message } from '@postroom/contracts';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { AddInvited } from './add-invited.js';

type Invitation = NonNullable<Message['invitation']>;

const methods: Readonly<Record<Invitation['method'], string>> = {
  REQUEST: 'Invitation to an event, or a change of one',
  REPLY: 'Answer to an invitation',
  CANCEL: 'Cancellation of an event',
};

const states: Readonly<Record<Invitation['state'], string>> = {
  applied: 'The calendar has it.',
  stale: 'Something newer is in the calendar already; this changed nothing.',
  unmatched: 'No calendar here has this event.',
  unconfirmed: 'Nothing shows who sent it, so it changed nothing. Confirm it if you trust it.',
  refused: 'It changed nothing.',
};

const colors: Readonly<Record<Invitation['state'], string>> = {
  ...{ applied: 'teal', stale: 'gray', unmatched: 'indigo', unconfirmed: 'orange' },
  refused: 'red',
};

/** The event that a message speaks of, what became of it, and what a member can do about it; nothing for other messages. */
export function InvitationCard(props: {
  message: Pick<Message, 'id' | 'invitation' | 'attachments'>;
  mailbox: string;
}): ReactElement | null {
  const { message, mailbox } = props;
  const { invitation } = message;
  if (!invitation) return null;
  const { method, state, reason } = invitation;
  const file = message.attachments.find(({ mimeType }) => mimeType === 'text/calendar');
  return (
    <Alert
      {...{ color: colors[state], variant: 'light', title: methods[method] }}
      icon={<Icon name="calendar" />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {states[state]}
          {reason && state !== 'unconfirmed' && ` Reason: ${reason}.`}
        </Text>
        <Group gap="xs">
          {state === 'unconfirmed' && <Confirm messageId={message.id} />}
          {state === 'unmatched' && method === 'REQUEST' && file && (
            <AddInvited attachmentId={file.id} mailbox={mailbox} />
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function Confirm({ messageId }: { messageId: string }): ReactElement {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { invitation } = await api.post<InvitationConfirmed>(
        `/v1/invitations/${messageId}/confirm`,
        {},
        { idempotencyKey },
      );
      tellDone(states[invitation.state]);
      await client.invalidateQueries({ queryKey: ['conversation'] });
      await client.invalidateQueries({ queryKey: ['events'] });
    } catch (error) {
      tellFailure(error);
    }
    setIsBusy(false);
  };
  return (
    <Button size="xs" variant="default" loading={isBusy} onClick={() => void confirm()}>
      Confirm
    </Button>
  );
}
