import { useEffect, useSyncExternalStore } from 'react';
import { useAccount } from '../../api/account.js';
import { ConversationList, type ListState } from './conversation-list.js';
import type { ListQuery } from './list-query.js';
import { keepRows } from './rows.js';

/** Lists that were shown lately: going back to one shows it at once. */
const kept = new Map<string, ConversationList>();
const keptMax = 12;

keepRows((changes) => {
  for (const list of kept.values()) list.changed(changes);
});

/** The list of a query over the member's mailboxes. */
export function useList(query: ListQuery): { list: ConversationList; state: ListState } {
  const { mailboxes } = useAccount();
  const addresses = mailboxes
    .map(({ address }) => address)
    .filter((address) => query.mailbox === undefined || query.mailbox === address);
  const list = listOf(query, addresses);
  const state = useSyncExternalStore(list.subscribe, list.snapshot);
  useEffect(() => {
    if (list.snapshot().ids.length === 0) void list.more();
  }, [list]);
  return { list, state };
}

function listOf(query: ListQuery, mailboxes: readonly string[]): ConversationList {
  const key = JSON.stringify([query, mailboxes]);
  const list = kept.get(key) ?? new ConversationList(query, mailboxes);
  // The latest stands last; the first goes.
  kept.delete(key);
  kept.set(key, list);
  for (const oldest of [...kept.keys()].slice(0, -keptMax)) kept.delete(oldest);
  return list;
}

/** The list that is shown, once the stream has missed something; the others are read when they are. */
export function readAgain(): void {
  for (const [key, list] of kept) {
    if (list.isShown()) void list.again();
    else kept.delete(key);
  }
}

export function dropEverywhere(id: string): void {
  for (const list of kept.values()) list.drop(id);
}
