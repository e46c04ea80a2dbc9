import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Account, Draft } from '@postroom/contracts';
import { accountQuery } from '../api/account.js';
import { queryClient } from '../api/query-client.js';
import { findDraft } from './draft-requests.js';
import { openDraft } from './open-composer.js';
import { nameOfRecipients, reasonText } from './words.js';

/** The notice to a sender that a message has not left, with the reason. */
export async function tellFailedSend(data: Readonly<Record<string, unknown>>): Promise<void> {
  const { mailbox, resource } = data as {
    mailbox?: string;
    resource?: { id?: string };
  };
  if (mailbox === undefined || resource?.id === undefined) return;
  const draft = await findDraft(mailbox, resource.id).catch(() => null);
  const account: Account | undefined = queryClient.getQueryData(accountQuery.queryKey);
  if (draft?.scheduled?.state === 'failed' && draft.scheduled.by === account?.member.id)
    show(draft);
}

function show(draft: Draft): void {
  const id = `failed-${draft.id}`;
  notifications.show({
    ...{ id, color: 'red', autoClose: false },
    title: `Your message to ${nameOfRecipients(draft)} has not left`,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{reasonText(draft.scheduled?.reason ?? null)}</Text>
        <Button
          {...{ size: 'compact-xs', variant: 'light', flex: 'none' }}
          onClick={() => {
            notifications.hide(id);
            openDraft(draft);
          }}
        >
          Open it
        </Button>
      </Group>
    ),
  });
}
