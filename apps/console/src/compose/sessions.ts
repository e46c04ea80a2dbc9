import { useEffect, useSyncExternalStore } from 'react';
import { keptKey } from '../shell/unsaved.js';
import { useStreamEvents } from '../stream/stream.js';
import type { Content } from './content.js';
import { DraftSession, type Kept, type SessionState } from './draft-session.js';

/** The messages that are written in this tab, by the conversation they belong to, or `new`. */
const open = new Map<string, DraftSession>();
const owners = new Map<string, symbol>();

const keyOf = (place: string): string => keptKey('compose', place);

/** Begins a message; what is being written at that place goes on as a draft. */
export const beginSession = (place: string, content: Content): DraftSession =>
  start(place, { content, saved: content, draft: null, failure: null, pending: null });

export const resumeSession = (place: string, kept: Kept): DraftSession => start(place, kept);

/** The message that was being written there before the page was left or loaded anew. */
export function foundSession(place: string): DraftSession | null {
  const running = open.get(place);
  if (running) {
    running.isLeft = false;
    return running;
  }
  const kept = sessionStorage.getItem(keyOf(place));
  if (kept === null) return null;
  try {
    return start(place, JSON.parse(kept) as Kept);
  } catch {
    sessionStorage.removeItem(keyOf(place));
    return null;
  }
}

function start(place: string, kept: Kept): DraftSession {
  const owner = Symbol(place);
  owners.set(place, owner);
  // The message that was written there before goes on to be saved, and is found among the drafts.
  const session = new DraftSession(kept, (now) => {
    if (owners.get(place) !== owner) return;
    write(place, now);
    if (now === null) open.delete(place);
  });
  open.set(place, session);
  return session;
}

/** A tab that has no room left still has the text on the page, and saves it. */
function write(place: string, kept: Kept | null): void {
  try {
    if (kept === null) sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), JSON.stringify(kept));
  } catch {
    // The quota of the browser.
  }
}

export const useSession = (session: DraftSession): SessionState =>
  useSyncExternalStore(session.subscribe, session.get);

/** Keeps a message that is open in step with what others make of its draft. */
export function useDraftInStep(session: DraftSession): void {
  useEffect(() => void session.catchUp(), [session]);
  useStreamEvents(({ type, data }) => {
    const { id } = (data.resource ?? {}) as { readonly id?: string };
    const isOurs = type === 'draft.updated' && id === session.get().draft?.id;
    if (isOurs || type === 'reset') void session.catchUp();
  });
}
