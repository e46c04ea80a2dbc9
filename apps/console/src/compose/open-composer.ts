/** The ways to begin in the composer below a conversation. */
export type ComposerKind = 'reply' | 'replyAll' | 'forward' | 'comment';

type Listener = (kind: ComposerKind) => void;

const listeners = new Set<Listener>();

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
