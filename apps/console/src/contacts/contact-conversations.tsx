import type { ListedConversation } from '@postroom/contracts';
import { Anchor, Box, Group, Stack, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { inTurn } from '../api/in-turn.js';
import { Time } from '../ui/time.js';

/** Conversations that are shown, the latest of all mailboxes. */
const shownMax = 10;

/** The latest conversations with a contact, of all mailboxes that the member may read. */
export function ContactConversations({ contactId }: { contactId: string }): ReactElement {
  const { mailboxes } = useAccount();
  const answers = useQueries({
    queries: mailboxes.map(({ address }) => ({
      queryKey: ['conversations', 'of-contact', contactId, address],
      queryFn: () =>
        inTurn(() =>
          api.get<{ conversations: readonly ListedConversation[] }>('/v1/conversations', {
            ...{ mailbox: address, contactId, placement: 'all', limit: shownMax },
          }),
        ),
    })),
  });
  const found = answers
    .flatMap(({ data }) => data?.conversations ?? [])
    .sort((one, other) => other.lastMessageAt.localeCompare(one.lastMessageAt))
    .slice(0, shownMax);
  return (
    <Box component="section" aria-label="Conversations">
      <Title order={3} size="h5" pb={6}>
        Conversations
      </Title>
      <Stack gap={6}>
        {found.map((conversation) => (
          <Listed key={conversation.id} conversation={conversation} />
        ))}
        {found.length === 0 && (
          <Text size="sm" c="dimmed">
            {answers.some(({ isPending }) => isPending) ? 'Looking for them …' : 'None yet'}
          </Text>
        )}
      </Stack>
    </Box>
  );
}

const Listed = ({ conversation }: { conversation: ListedConversation }): ReactElement => (
  <Group justify="space-between" wrap="nowrap">
    <Anchor
      {...{ size: 'sm', truncate: true }}
      renderRoot={(rest) => (
        <Link
          to="/inbox/$view/$conversationId"
          params={{ view: 'all', conversationId: conversation.id }}
          search={{ in: conversation.mailbox }}
          {...rest}
        />
      )}
    >
      <bdi>{conversation.subject || '(no subject)'}</bdi>
    </Anchor>
    <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
      <Time at={conversation.lastMessageAt} />
    </Text>
  </Group>
);
