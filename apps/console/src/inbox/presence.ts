import type { Presence } from '@postroom/contracts';
import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.js';
import { useStreamEvents } from '../stream/stream.js';

/** A colleague at a conversation. */
export interface Present {
  readonly id: string;
  readonly name: string;
  readonly state: 'viewing' | 'writing';
}

interface ExpiringPresence extends Present {
  readonly untilMs: number;
}

/** A presence ends after 30 seconds unless it is sent again. */
const againMs = 20_000;

const present = new Map<string, readonly ExpiringPresence[]>();
const listeners = new Set<() => void>();
const nobody: readonly Present[] = [];

function tell(): void {
  for (const listener of listeners) listener();
}

function learn({ resource, by, state, until }: Presence): void {
  const others = (present.get(resource.id) ?? []).filter(({ id }) => id !== by.id);
  const untilMs = Date.parse(until);
  present.set(resource.id, state === 'gone' ? others : [...others, { ...by, state, untilMs }]);
  tell();
}

/** Forgets who has said nothing for too long. The clocks of server and page may differ by some seconds. */
function forget(): void {
  const nowMs = Date.now() - 5_000;
  for (const [id, all] of present) {
    const left = all.filter(({ untilMs }) => untilMs > nowMs);
    if (left.length === all.length) continue;
    if (left.length === 0) present.delete(id);
    else present.set(id, left);
    tell();
  }
}

/** Keeps in step who looks at what; once, in the page. */
export function usePresences(): void {
  useStreamEvents(({ type, data }) => {
    if (type === 'presence') learn(data as unknown as Presence);
  });
  useEffect(() => {
    const timer = setInterval(forget, 5_000);
    return () => clearInterval(timer);
  }, []);
}

/** The colleagues who look at a conversation, or write in it. */
export const usePresentAt = (conversationId: string): readonly Present[] =>
  useSyncExternalStore(subscribe, () => present.get(conversationId) ?? nobody);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

let shown: { readonly conversationId: string; readonly mailbox: string } | null = null;
let isWriting = false;

/** Says that the member writes in the conversation that is shown, or has stopped. Called by the composer. */
export function tellWriting(writes: boolean): void {
  if (writes === isWriting) return;
  isWriting = writes;
  if (shown) tellPresence(shown, isWriting ? 'writing' : 'viewing');
}

/** Shows the colleagues that the member looks at a conversation, for as long as it is shown. */
export function useTellPresence(conversationId: string, mailbox: string): void {
  useEffect(() => {
    const here = { conversationId, mailbox };
    const say = (): void => {
      if (document.visibilityState === 'visible')
        tellPresence(here, isWriting ? 'writing' : 'viewing');
    };
    shown = here;
    say();
    const timer = setInterval(say, againMs);
    return () => {
      clearInterval(timer);
      isWriting = false;
      shown = null;
      tellPresence(here, 'gone');
    };
  }, [conversationId, mailbox]);
}

type ConversationAddress = { readonly conversationId: string; readonly mailbox: string };

/** A failure is ignored: presence is sent again soon. */
function tellPresence(place: ConversationAddress, state: 'viewing' | 'writing' | 'gone'): void {
  api.post('/presence', { ...place, state }).catch(() => undefined);
}
