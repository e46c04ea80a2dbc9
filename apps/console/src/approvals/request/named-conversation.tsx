import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useFoundConversation } from '../../inbox/conversation-query.js';
import { MarkedText } from '../../ui/marked-text.js';

/** A conversation by its subject, where the reader may see it. */
export function NamedConversation({ id }: { id: string }): ReactElement {
  const { data: found, isPending } = useFoundConversation(id);
  if (!found)
    return (
      <Text span inherit c="dimmed">
        {isPending ? '…' : 'one that you cannot read'}
      </Text>
    );
  return (
    <Anchor
      {...{ component: Link, inherit: true, to: `/inbox/all/${id}` }}
      search={{ in: found.mailbox } as never}
    >
      <MarkedText text={found.subject === '' ? '(no subject)' : found.subject} />
    </Anchor>
  );
}
