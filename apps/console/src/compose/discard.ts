import { offerUndo, undoMs } from '../ui/notices.js';
import { hasText } from './content.js';
import { removeDraft } from './draft-requests.js';
import type { DraftSession } from './draft-session.js';
import { openKept } from './open-composer.js';

/** Puts a message away. Its draft is removed once the time to undo it is over. */
export function discard(session: DraftSession): void {
  session.end();
  const { draft, content } = session.get();
  if (!draft && !hasText(content)) return;
  const forget = (): void => {
    clearTimeout(timer);
    removeEventListener('pagehide', remove);
  };
  const remove = (): void => {
    forget();
    // It may have been saved only just.
    const last = session.get().draft;
    if (last) removeDraft(content.mailbox, last.id).catch(() => undefined);
  };
  const timer = setTimeout(remove, undoMs + 500);
  // A page that is left cannot undo any more.
  addEventListener('pagehide', remove);
  offerUndo('Draft discarded.', () => {
    forget();
    const { saved, draft: last, failure } = session.get();
    openKept({ content, saved, draft: last, failure, pending: null });
  });
}
