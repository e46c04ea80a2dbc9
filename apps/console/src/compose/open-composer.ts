import type { Draft } from '@postroom/contracts';
import { contentOf, type Address } from './content.js';
import type { Kept } from './draft-session.js';

/** The ways to begin in the composer below a conversation. */
export type ComposerKind = 'reply' | 'replyAll' | 'forward' | 'comment';

/** The reason to open the panel over the page: a new message, or one that was begun, wherever it belongs. */
export type PanelRequest =
  | { readonly mailbox?: string; readonly to?: readonly Address[] }
  | { readonly kept: Kept };

type Listener = (kind: ComposerKind) => void;
type PanelListener = (request: PanelRequest) => void;
type Taker = (kept: Kept) => boolean;

const listeners = new Set<Listener>();
const panelListeners = new Set<PanelListener>();
const takers = new Set<Taker>();

/** Opens the composer of the conversation that is shown, and puts the focus into it. */
export function openComposer(kind: ComposerKind): void {
  for (const listener of listeners) listener(kind);
}

/** Called by the composer while it is shown; answers what ends it. */
export function onOpenComposer(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Opens the panel of a new message over any page. */
export function openNewMessage(request: Exclude<PanelRequest, { kept: Kept }> = {}): void {
  for (const listener of panelListeners) listener(request);
}

/** Opens a draft: below its conversation where that is shown, else in the panel. */
export const openDraft = (draft: Draft): void => openKept(keptOf(draft));

export function openKept(kept: Kept): void {
  if ([...takers].some((take) => take(kept))) return;
  for (const listener of panelListeners) listener({ kept });
}

export function onOpenPanel(listener: PanelListener): () => void {
  panelListeners.add(listener);
  return () => {
    panelListeners.delete(listener);
  };
}

/** Called by the composer of a conversation while it is shown: it takes what belongs there. */
export function takeKept(take: Taker): () => void {
  takers.add(take);
  return () => {
    takers.delete(take);
  };
}

export function keptOf(draft: Draft): Kept {
  const content = contentOf(draft);
  const { id, version, scheduled } = draft;
  const failure = scheduled?.state === 'failed' ? scheduled.reason : null;
  return { content, saved: content, draft: { id, version }, failure, pending: null };
}
