import type { Draft, SettingsSendErrorBody, Suppression } from '@postroom/contracts';
import { ApiProblem, ConnectionLost } from '../api/problem.js';
import { undoMs } from '../ui/notices.js';
import { findDraft, sendDraft, serverTimeIn, type Stored } from './draft-requests.js';
import { DraftConflict, pause, type DraftSession } from './draft-session.js';

/** A finding of data-loss prevention. */
export type Finding = NonNullable<SettingsSendErrorBody['findings']>[number];

/** The reasons for which a send is held back. */
export interface Objections {
  readonly findings: readonly Finding[];
  /** The recipients whose addresses bounced or complained. */
  readonly suppressed: readonly Suppression[];
}

export type Outcome =
  | { readonly kind: 'scheduled'; readonly draft: Draft }
  | { readonly kind: 'sent' }
  | (Objections & { readonly kind: 'warning'; readonly token: string })
  | (Objections & { readonly kind: 'blocked' })
  | { readonly kind: 'conflict' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly error: unknown };

export interface SendOptions {
  /** When it is to leave; in ten seconds when absent, so that it can be undone. */
  readonly at?: string;
  /** Confirms what data-loss prevention has found. */
  readonly token?: string;
}

/**
 * Sends what is written at the click: it is saved, and that version leaves, once. An answer that was lost is looked
 * for, not asked for again.
 */
export async function sendSession(session: DraftSession, options: SendOptions): Promise<Outcome> {
  if (session.get().isSending) return { kind: 'cancelled' };
  session.setSending(true);
  try {
    return await saveAndSend(session, options);
  } catch (error) {
    return await outcomeOf(error, session);
  } finally {
    session.setSending(false);
  }
}

async function saveAndSend(session: DraftSession, options: SendOptions): Promise<Outcome> {
  const stored = await session.flush();
  const { mailbox } = session.get().content;
  for (let attempts = 0; session.get().isSending; attempts += 1) {
    try {
      return await attempt(stored, mailbox, options);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    await pause(attempts);
    const known = await afterLoss(stored, mailbox);
    if (known) return known;
  }
  return { kind: 'cancelled' };
}

async function attempt(stored: Stored, mailbox: string, options: SendOptions): Promise<Outcome> {
  const { draft } = await sendDraft(stored, {
    ...{ mailbox, sendAt: options.at ?? serverTimeIn(undoMs) },
    ...(options.token !== undefined && { dlpWarningToken: options.token }),
  });
  return draft ? { kind: 'scheduled', draft } : { kind: 'sent' };
}

/** The outcome of a send whose answer was lost; null if it did not arrive. */
async function afterLoss({ id }: Stored, mailbox: string): Promise<Outcome | null> {
  try {
    const draft = await findDraft(mailbox, id);
    if (!draft) return { kind: 'sent' };
    return draft.scheduled ? { kind: 'scheduled', draft } : null;
  } catch (error) {
    if (error instanceof ConnectionLost) return null;
    throw error;
  }
}

async function outcomeOf(error: unknown, session: DraftSession): Promise<Outcome> {
  if (error instanceof DraftConflict) return { kind: 'conflict' };
  if (!(error instanceof ApiProblem)) return { kind: 'refused', error };
  const body = error.body as Partial<SettingsSendErrorBody>;
  const { findings = [], suppressed = [], dlpWarningToken: token } = body;
  if (token !== undefined) return { kind: 'warning', findings, suppressed, token };
  if (error.code === 'DLP_BLOCKED') return { kind: 'blocked', findings, suppressed };
  if (error.code === 'VERSION_CONFLICT') return metConflict(session);
  return { kind: 'refused', error };
}

async function metConflict(session: DraftSession): Promise<Outcome> {
  const { draft, content } = session.get();
  const theirs = draft && (await findDraft(content.mailbox, draft.id).catch(() => null));
  if (!theirs) return { kind: 'refused', error: new Error(goneText) };
  if (theirs.scheduled) return { kind: 'scheduled', draft: theirs };
  session.meet(theirs);
  return { kind: 'conflict' };
}

const goneText =
  'This draft is gone: a colleague has sent or removed it. What you wrote is still here.';
