import type { Conversation } from '@postroom/contracts';
import { Box, Button, CloseButton, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { conversationQuery } from '../inbox/conversation-query.js';
import { keptKey, useUnsavedText } from '../shell/unsaved.js';
import { Icon } from '../ui/icons.js';
import { ErrorState } from '../ui/states.js';
import classes from './compose.module.css';

const storageKey = (conversationId: string): string => keptKey('comment', conversationId);

export const keptComment = (conversationId: string): string =>
  sessionStorage.getItem(storageKey(conversationId)) ?? '';

/** An internal comment. It looks unlike an answer, so that the two are not confused. */
export function CommentPanel(props: {
  conversation: Conversation;
  onClose: () => void;
}): ReactElement {
  const { conversation, onClose } = props;
  const { id, mailbox } = conversation;
  const client = useQueryClient();
  const [text, setText] = useState(() => keptComment(id));
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const keep = (value: string): void => {
    setText(value);
    if (value === '') sessionStorage.removeItem(storageKey(id));
    else sessionStorage.setItem(storageKey(id), value);
  };
  const saving = useMutation({
    mutationFn: () =>
      api.post(`/v1/conversations/${id}/comment`, { mailbox, text }, { idempotencyKey }),
    onSuccess: async () => {
      keep('');
      await client.invalidateQueries({ queryKey: conversationQuery(id, mailbox).queryKey });
      onClose();
    },
    // Another text under the same key would be refused.
    onError: () => undefined,
  });
  useUnsavedText(text.trim() !== '');
  const isReady = text.trim() !== '' && !saving.isPending;
  return (
    <Box component="section" aria-label="Internal comment" className={classes.comment} p="sm">
      <Group justify="space-between" mb={6}>
        <Group gap={6}>
          <Icon name="comment" size={16} />
          <Text size="sm" fw={600}>
            Internal comment
          </Text>
          <Text size="xs">Only your colleagues see it.</Text>
        </Group>
        <CloseButton {...{ size: 'sm', onClick: onClose }} aria-label="Close the comment" />
      </Group>
      {saving.isError && <ErrorState error={saving.error} />}
      <Textarea
        {...{ value: text, autosize: true, minRows: 3, maxRows: 12, maxLength: 10_000 }}
        {...{ autoFocus: true, variant: 'unstyled', disabled: saving.isPending }}
        aria-label="Comment"
        placeholder="Write to your colleagues"
        onChange={({ currentTarget }) => {
          keep(currentTarget.value);
          if (saving.isError) setKey(newIdempotencyKey());
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isReady) saving.mutate();
          if (event.key === 'Escape') onClose();
        }}
      />
      <Group justify="flex-end">
        <Button
          {...{ color: 'yellow.4', autoContrast: true, size: 'sm', disabled: !isReady }}
          loading={saving.isPending}
          leftSection={<Icon name="comment" size={16} />}
          onClick={() => saving.mutate()}
        >
          Add comment
        </Button>
      </Group>
    </Box>
  );
}
