import { randomUUID } from 'node:crypto';
import { Problem, systemActor, type Draft, type SendReceipt } from '@postroom/contracts';
import { asProblem, type Changing, type UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { shownDraft, tellOfDraft } from '../drafts/index.js';
import { keyOfDraft } from './draft-message.js';

type Change = Pick<Changing, 'rows' | 'at'>;

/** A draft that this process sends; once another does, its steps are refused. */
export interface OwnDraft {
  readonly tenantId: string;
  readonly id: string;
  readonly token: string;
}

/** The time and the sender of a draft. */
export interface Schedule {
  readonly sendAt: Date;
  /** The member. */
  readonly by: string;
  /** SHA-256 of the token that confirms a warning. */
  readonly warning: string | null;
}

const schedule = statement<object>(
  'draft_sends.schedule',
  `UPDATE drafts SET send_at = $3, send_by = $4, send_warning = $5, send_state = 'waiting',
     send_reason = NULL, send_due = $3::timestamptz - ahead_of($1), send_token = NULL, version = version + 1,
     updated_at = greatest(updated_at, $6)
   WHERE tenant_id = $1 AND id = $2`,
);

const begin = statement<object>(
  'draft_sends.begin',
  `UPDATE drafts SET send_at = $3, send_by = $4, send_warning = $5, send_state = 'sending',
     send_reason = NULL, send_due = now() + interval '90 seconds', send_token = $6
   WHERE tenant_id = $1 AND id = $2`,
);

const none = `send_at = NULL, send_by = NULL, send_warning = NULL, send_state = NULL,
  send_reason = NULL, send_due = NULL, send_token = NULL`;

const holdBack = statement<object>(
  'draft_sends.hold_back',
  `UPDATE drafts SET ${none}, version = version + 1, updated_at = greatest(updated_at, $3)
   WHERE tenant_id = $1 AND id = $2`,
);

const giveBack = statement<object>(
  'draft_sends.give_back',
  `UPDATE drafts SET ${none} WHERE tenant_id = $1 AND id = $2 AND send_token = $3`,
);

// The longer it has been due, the longer until it is looked after again; open ones are asked after often.
const postpone = statement<object>(
  'draft_sends.postpone',
  `UPDATE drafts SET send_state = $4, send_reason = $5, send_due = now() + CASE $4
     WHEN 'waiting' THEN least(interval '15 minutes',
       greatest(interval '10 seconds', (workspace_now($1) - send_at) / 4))
     ELSE interval '15 seconds' END
   WHERE tenant_id = $1 AND id = $2 AND send_token = $3`,
);

const fail = statement<{ id: string }>(
  'draft_sends.fail',
  `UPDATE drafts SET send_state = 'failed', send_reason = $4, send_warning = NULL, send_due = NULL,
     send_token = NULL, version = version + 1, updated_at = greatest(updated_at, $5)
   WHERE tenant_id = $1 AND id = $2 AND send_token = $3 RETURNING id`,
);

const receiptOf = statement<{ receipt: SendReceipt }>(
  'draft_sends.receipt',
  `SELECT r.receipt::json AS receipt FROM send_reservations r
   JOIN mailboxes m ON m.tenant_id = r.tenant_id AND m.id = r.mailbox_id
   WHERE r.tenant_id = $1 AND m.address = $2 AND r.idempotency_key = $3 AND r.state = 'sent'`,
);

/** Schedules a locked draft, and publishes that. */
export async function scheduleDraft(
  context: Change,
  id: string,
  { sendAt, by, warning }: Schedule,
): Promise<void> {
  await context.rows(schedule, [id, sendAt, by, warning, context.at]);
  await tellOfDraft(context, id, 'draft.scheduled');
}

/** Begins to send a locked draft. @returns the token of this process */
export async function beginDraft(
  { rows, at }: Change,
  id: string,
  { by, warning }: Omit<Schedule, 'sendAt'>,
): Promise<string> {
  const token = randomUUID();
  await rows(begin, [id, at, by, warning, token]);
  return token;
}

/** Holds a locked draft back, and publishes that. */
export async function holdDraftBack(context: Change, id: string): Promise<void> {
  await context.rows(holdBack, [id, context.at]);
  await tellOfDraft(context, id, 'draft.unscheduled');
}

/** The receipt of a draft that has left. @throws Problem DRAFT_NOT_FOUND */
export async function receiptOfDraft(
  { rows }: Change,
  mailbox: string,
  id: string,
): Promise<SendReceipt> {
  const [found] = await rows(receiptOf, [mailbox, keyOfDraft(id)]);
  if (!found) throw new Problem('DRAFT_NOT_FOUND');
  return found.receipt;
}

/** The result of an attempt without a receipt: it may have left, it may be tried again, or it is refused. */
export type Setback = 'open' | 'passing' | 'final';

/** Judges why there is no receipt. */
export function setbackOf(error: unknown): Setback {
  const { code, status, fields } = asProblem(error);
  if (code === 'SEND_DUPLICATE' || fields.outcomeUnknown === true) return 'open';
  const isPassing = status === 429 || (status >= 500 && code !== 'OUTGOING_REFUSED');
  return isPassing ? 'passing' : 'final';
}

/** A passing setback is tried again for a day. */
export const triedForMs = 24 * 60 * 60_000;

/**
 * Records why a draft whose time has come has no receipt: it is looked after again, or it has failed, and its
 * author is told.
 */
export async function recordSetback(
  work: UnitOfWork,
  { tenantId, id, token }: OwnDraft,
  { sendAt }: Pick<Schedule, 'sendAt'>,
  error: unknown,
): Promise<void> {
  const { code, fields } = asProblem(error);
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  const setback = setbackOf(error);
  await work.change(origin, null, async (context) => {
    const { rows, at } = context;
    if (setback === 'open') {
      const reason = fields.outcomeUnknown === true ? 'SEND_OUTCOME_UNKNOWN' : null;
      await rows(postpone, [id, token, 'sending', reason]);
    } else if (setback === 'passing' && at.getTime() - sendAt.getTime() < triedForMs) {
      await rows(postpone, [id, token, 'waiting', code]);
    } else if ((await rows(fail, [id, token, code, at])).length > 0) {
      await tellOfDraft(context, id, 'draft.failed');
    }
    return { value: undefined };
  });
}

/** Gives a draft back to its author, whose request is answered with the refusal. */
export async function giveDraftBack(
  work: UnitOfWork,
  { tenantId, id, token }: OwnDraft,
): Promise<void> {
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  await work.change(origin, null, async ({ rows }) => ({
    value: await rows(giveBack, [id, token]),
  }));
}

/** A draft that this process sends, as it was when it began. */
export interface BegunDraft extends OwnDraft, Schedule {
  readonly draft: Draft;
  /** It may have left: whether a process still works on its send. Null: it has certainly not. */
  readonly openSend: { readonly isLive: boolean } | null;
}

type BegunRow = Omit<BegunDraft, 'draft' | 'sendAt' | keyof OwnDraft> & {
  readonly address: string;
  readonly sendAt: string;
};

// The draft and its send as of one moment: a send that was settled as failed has taken the draft's token away.
const begun = statement<BegunRow>(
  'draft_sends.begun',
  `SELECT m.address, d.send_at AS "sendAt", d.send_by AS "by", d.send_warning AS warning,
     CASE WHEN r.state IN ('transmitting', 'unknown') THEN
       json_build_object('isLive', r.state = 'transmitting' AND r.lease_until > now()) END AS "openSend"
   FROM drafts d JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
   LEFT JOIN send_reservations r ON r.tenant_id = d.tenant_id AND r.mailbox_id = d.mailbox_id
     AND r.idempotency_key = $4
   WHERE d.tenant_id = $1 AND d.id = $2 AND d.send_token = $3`,
);

/** Reads a draft that this process sends; undefined once another does, or its mailbox is gone. */
export function readBegun(work: UnitOfWork, own: OwnDraft): Promise<BegunDraft | undefined> {
  return work.readOnly(own, async ({ rows }) => {
    const [found] = await rows(begun, [own.id, own.token, keyOfDraft(own.id)]);
    if (!found) return undefined;
    const { address, sendAt, ...rest } = found;
    const draft = await shownDraft({ rows }, address, own.id);
    return { ...own, ...rest, sendAt: new Date(sendAt), draft };
  });
}
