import type { Draft } from '@postroom/contracts';
import { ApiProblem } from '../api/problem.js';
import { offerUndo, tellFailure } from '../ui/notices.js';
import { wholeTime } from '../ui/time.js';
import { unsendDraft } from './draft-requests.js';
import { openDraft } from './open-composer.js';
import { nameOfRecipients } from './words.js';

/** Says that a message leaves in ten seconds, and lets it be held back. */
export function tellLeaving(draft: Draft): void {
  offerUndo(`To ${nameOfRecipients(draft)}: leaves in ten seconds.`, () => void holdBack(draft));
}

export function tellScheduled(draft: Draft): void {
  const at = new Date(draft.scheduled?.sendAt ?? draft.updatedAt);
  offerUndo(`Leaves on ${wholeTime(at)}.`, () => void holdBack(draft));
}

/** Holds a message back, and opens it again. */
export async function holdBack({ mailbox, id }: Pick<Draft, 'mailbox' | 'id'>): Promise<boolean> {
  try {
    openDraft(await unsendDraft(mailbox, id));
    return true;
  } catch (error) {
    const code = error instanceof ApiProblem ? error.code : null;
    if (code === 'DRAFT_NOT_FOUND')
      tellFailure(new Error('It is too late to hold this message back: it has left.'));
    else if (code === 'DRAFT_SENDING')
      tellFailure(new Error('It is too late to hold this message back: it is leaving now.'));
    else tellFailure(error, () => void holdBack({ mailbox, id }));
    return false;
  }
}
