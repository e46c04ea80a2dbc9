import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { openComposer } from '../../compose/open-composer.js';
import { useCommands, type Command } from '../../shell/commands.js';
import { useShortcuts } from '../../shell/shortcuts.js';
import { conversationQuery } from '../conversation-query.js';
import { useInbox } from '../inbox-state.js';
import { rowOf, useRow } from '../list/rows.js';
import { mark } from '../triage/use-triage.js';

/** A conversation that is passed over with the keys stays unread. */
const readAfterMs = 1_000;

/**
 * Opening a conversation marks it as read for all members, after a moment; one that the reader then marks as unread
 * stays so.
 */
export function useMarkRead(id: string, isWritable: boolean): void {
  const unread = useRow(id)?.unread ?? false;
  const isDone = useRef(false);
  useEffect(() => {
    if (!unread || !isWritable || isDone.current) return undefined;
    const timer = setTimeout(() => {
      isDone.current = true;
      mark(id, false);
    }, readAfterMs);
    return () => clearTimeout(timer);
  }, [id, unread, isWritable]);
}

const prefetchAfterMs = 400;

/** Reads the conversation that most likely comes next, so that it opens at once. */
export function usePrefetchNext(id: string): void {
  const client = useQueryClient();
  const { state } = useInbox();
  const nextId = state.ids[state.ids.indexOf(id) + 1];
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = nextId === undefined ? undefined : rowOf(nextId);
      if (next) client.query(conversationQuery(next.id, next.mailbox)).catch(() => undefined);
    }, prefetchAfterMs);
    return () => clearTimeout(timer);
  }, [client, nextId]);
}

/** Keys that need a conversation to be open. */
export function useThreadShortcuts(isWritable: boolean): void {
  const { close } = useInbox();
  const writing = [
    { keys: 'r', label: 'Reply', run: () => openComposer('reply') },
    { keys: 'R', label: 'Reply to all', run: () => openComposer('replyAll') },
    { keys: 'f', label: 'Forward', run: () => openComposer('forward') },
    { keys: 'c', label: 'Comment to the team', run: () => openComposer('comment') },
  ];
  useShortcuts([
    ...(isWritable ? writing : []),
    { keys: 'Escape', label: 'Close the conversation', run: close },
  ]);
}

/** The same in the command palette, and what changes the conversation. */
export function useThreadCommands(isInInbox: boolean, isWritable: boolean): void {
  const { change, pick } = useInbox();
  const place = isInInbox
    ? ({ label: 'Archive', icon: 'archive', placement: 'archived' } as const)
    : ({ label: 'Move to the inbox', icon: 'inbox', placement: 'inbox' } as const);
  const { placement, ...archive } = place;
  const commands: readonly Command[] = [
    { id: 'reply', label: 'Reply', icon: 'reply', keys: 'r', run: () => openComposer('reply') },
    {
      ...{ id: 'comment', label: 'Comment', icon: 'comment', keys: 'c' },
      run: () => openComposer('comment'),
    },
    { id: 'assign', label: 'Assign to …', icon: 'assign', keys: 'a', run: () => pick('assign') },
    { id: 'label', label: 'Label …', icon: 'label', keys: 'l', run: () => pick('label') },
    { id: 'snooze', label: 'Snooze …', icon: 'snooze', keys: 'h', run: () => pick('snooze') },
    { id: 'archive', ...archive, keys: 'e', run: () => change({ action: 'move', placement }) },
  ];
  useCommands(isWritable ? commands : []);
}
