import type { Draft } from '@postroom/contracts';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Icon } from '../ui/icons.js';
import { Time, wholeTime } from '../ui/time.js';
import { partsOf } from './content.js';
import { openDraft } from './open-composer.js';
import { textOfQuote } from './quote.js';
import { holdBack } from './send-notices.js';
import { nameOfRecipients, reasonText } from './words.js';

/** A draft with where it stands, and what can be done with it. */
export function DraftRow({ draft }: { draft: Draft }): ReactElement {
  const { subject, mailbox, attachments, scheduled } = draft;
  const { html, quote } = partsOf(draft);
  return (
    <Paper component="article" withBorder px="md" py="xs" aria-label={subject || 'No subject'}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={2} flex={1} miw={220}>
          <Text size="sm" fw={600} truncate>
            <bdi>{subject || 'No subject'}</bdi>
          </Text>
          <Text size="sm" truncate>
            To <bdi>{nameOfRecipients(draft)}</bdi>{' '}
            <Text span c="dimmed" size="xs">
              from {mailbox}
              {attachments.length > 0 && `, files: ${attachments.length}`}
            </Text>
          </Text>
          <Text size="sm" c="dimmed" lineClamp={1}>
            <bdi>{textOfQuote(html) || textOfQuote(quote) || 'no text yet'}</bdi>
          </Text>
          {scheduled && <Fate scheduled={scheduled} />}
        </Stack>
        <Actions draft={draft} />
      </Group>
    </Paper>
  );
}

function Fate({ scheduled }: { scheduled: NonNullable<Draft['scheduled']> }): ReactElement {
  const { members } = useAccount();
  const by = members.find(({ id }) => id === scheduled.by)?.name ?? 'a former member';
  if (scheduled.state === 'failed')
    return (
      <Text size="sm" c="red">
        {reasonText(scheduled.reason)}
      </Text>
    );
  return (
    <Text size="sm">
      <Icon name="snooze" size={13} /> {scheduled.state === 'sending' ? 'Leaving since' : 'Leaves'}{' '}
      {wholeTime(new Date(scheduled.sendAt))}, sent by <bdi>{by}</bdi>
      {scheduled.reason !== null && `. ${reasonText(scheduled.reason)}`}
    </Text>
  );
}

function Actions({ draft }: { draft: Draft }): ReactElement {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const { scheduled, threadId, mailbox } = draft;
  const hold = async (): Promise<void> => {
    setIsBusy(true);
    await holdBack(draft);
    await client.invalidateQueries({ queryKey: ['drafts', mailbox] });
    setIsBusy(false);
  };
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed">
        <Time at={draft.updatedAt} />
      </Text>
      {threadId !== null && (
        <Button
          {...{ component: Link, size: 'compact-sm', variant: 'subtle' }}
          {...{ to: '/inbox/$view/$conversationId', search: { in: mailbox } as never }}
          params={{ view: 'all', conversationId: threadId } as never}
        >
          Conversation
        </Button>
      )}
      {scheduled?.state === 'waiting' && (
        <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void hold()}>
          Hold back
        </Button>
      )}
      {scheduled?.state !== 'waiting' && scheduled?.state !== 'sending' && (
        <Button size="compact-sm" variant="default" onClick={() => openDraft(draft)}>
          {scheduled ? 'Look at it' : 'Continue'}
        </Button>
      )}
    </Group>
  );
}
