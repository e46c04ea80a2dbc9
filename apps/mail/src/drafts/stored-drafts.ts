import { instant, statement } from '@postroom/persistence';
import {
  newId,
  Problem,
  type Creator,
  type Draft,
  type InternalEventType,
  type Recipient,
  type ScheduledSend,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import type { DraftReferences } from './draft-references.js';

/**
 * The columns that make a row of `drafts` a `Draft`.
 *
 * @param of the row, as SQL
 * @param mailbox the mailbox's address, as SQL
 */
export const draftColumns = (of: string, mailbox: string): string => `
  ${of}.id, ${mailbox} AS mailbox, ${of}.conversation_id AS "threadId",
  ${of}.in_reply_to AS "inReplyTo", ${of}.recipients AS "to", ${of}.cc, ${of}.bcc, ${of}.subject,
  ${of}.body, draft_files_of(${of}.tenant_id, ${of}.id) AS attachments,
  ${of}.signature_id AS "signatureId", ${of}.created_by AS "createdBy", ${of}.source,
  CASE WHEN ${of}.send_state IS NOT NULL THEN json_build_object('sendAt', ${instant(`${of}.send_at`)},
    'by', ${of}.send_by, 'state', ${of}.send_state, 'reason', ${of}.send_reason) END AS scheduled,
  ${instant(`${of}.created_at`)} AS "createdAt", ${instant(`${of}.updated_at`)} AS "updatedAt",
  ${of}.version`;

/** The text of a draft, without its files. */
export interface DraftText {
  readonly to: readonly Recipient[];
  readonly cc: readonly Recipient[];
  readonly bcc: readonly Recipient[];
  readonly subject: string;
  readonly body: string;
}

/** A draft as it is stored, without its files. */
export interface StoredDraft extends DraftText, DraftReferences {
  readonly id: string;
  readonly version: number;
}

/** A stored draft that is locked, and how far its sending has got. */
export interface LockedDraft extends StoredDraft {
  /** Null: it was not sent. */
  readonly sendState: ScheduledSend['state'] | null;
  readonly mailboxId: string;
}

type Rows = Pick<Reading, 'rows'>;
type Change = Pick<Changing, 'rows' | 'at'>;

const lock = statement<LockedDraft>(
  'drafts.lock',
  `SELECT d.id, d.conversation_id AS "threadId", d.in_reply_to AS "inReplyTo",
     d.signature_id AS "signatureId", d.recipients AS "to", d.cc, d.bcc, d.subject, d.body, d.version,
     d.send_state AS "sendState", d.mailbox_id AS "mailboxId"
   FROM drafts d JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
   WHERE d.tenant_id = $1 AND m.address = $2 AND d.id = $3
   FOR UPDATE OF d`,
);

const show = statement<Draft>(
  'drafts.show',
  `SELECT ${draftColumns('d', '$2::text')} FROM read_draft($1, $2, $3) d`,
);

const insert = statement<object>(
  'drafts.begin',
  `WITH inserted AS (
     INSERT INTO drafts
       (tenant_id, mailbox_id, id, conversation_id, in_reply_to, signature_id, recipients, cc, bcc,
        subject, body, created_by, source, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
   )
   INSERT INTO volume_deltas (tenant_id, at, kind) VALUES ($1, $14, 'drafts.created')`,
);

const change = statement<object>(
  'drafts.change',
  `UPDATE drafts SET conversation_id = $3, in_reply_to = $4, signature_id = $5, recipients = $6,
     cc = $7, bcc = $8, subject = $9, body = $10, updated_at = greatest(updated_at, $11),
     version = version + 1
   WHERE tenant_id = $1 AND id = $2`,
);

const remove = statement<object>(
  'drafts.remove',
  'DELETE FROM drafts WHERE tenant_id = $1 AND id = $2',
);

const tell = statement<object>('drafts.tell', 'SELECT tell_of_draft($1, $2, $3, $4, $5)');

const countInThread = statement<object>(
  'drafts.count_in_thread',
  `UPDATE conversations SET draft_count = draft_count + $3, version = version + 1,
     updated_at = greatest(updated_at, $4)
   WHERE tenant_id = $1 AND id = $2`,
);

/**
 * Reads and locks a draft for a change: concurrent changes wait, and then see this one.
 * @throws Problem DRAFT_NOT_FOUND also for one of another mailbox
 */
export async function lockDraft(
  { rows }: Rows,
  { id, mailbox }: { readonly id: string; readonly mailbox: string },
): Promise<LockedDraft> {
  const [found] = await rows(lock, [mailbox, id]);
  if (!found) throw new Problem('DRAFT_NOT_FOUND');
  return found;
}

/** A draft of a mailbox as the API shows it; undefined for one that is not there. */
export async function findDraft(
  { rows }: Rows,
  mailbox: string,
  id: string,
): Promise<Draft | undefined> {
  return (await rows(show, [mailbox, id]))[0];
}

/** A draft as the API shows it. */
export async function shownDraft(context: Rows, mailbox: string, id: string): Promise<Draft> {
  const found = await findDraft(context, mailbox, id);
  if (!found) throw new Error(`draft ${id} vanished within its transaction`);
  return found;
}

/** The creator of a draft, and its mailbox. */
export interface DraftOrigin {
  readonly mailboxId: string;
  readonly createdBy: Creator;
  readonly source: Draft['source'];
}

/** Stores a new draft, and counts it in its conversation and in the volumes. */
export async function createDraft(
  context: Change,
  draft: Omit<StoredDraft, 'version'>,
  { mailboxId, createdBy, source }: DraftOrigin,
): Promise<void> {
  const origin = [JSON.stringify(createdBy), source];
  await context.rows(insert, [mailboxId, draft.id, ...columnsOf(draft), ...origin, context.at]);
  await tellOfDraft(context, draft.id, 'draft.created');
  await moveInThreads(context, null, draft.threadId);
}

/** Stores the changes of a locked draft. */
export async function changeDraft(
  context: Change,
  before: StoredDraft,
  draft: Omit<StoredDraft, 'version'>,
): Promise<void> {
  await context.rows(change, [draft.id, ...columnsOf(draft), context.at]);
  await tellOfDraft(context, draft.id, 'draft.updated');
  await moveInThreads(context, before.threadId, draft.threadId);
}

/** Removes a locked draft and its files. */
export async function removeDraft(context: Change, { id, threadId }: StoredDraft): Promise<void> {
  await tellOfDraft(context, id, 'draft.deleted');
  await context.rows(remove, [id]);
  await moveInThreads(context, threadId, null);
}

/** Publishes a change of a draft, once it has the version of that change, for members who look at the mailbox. */
export async function tellOfDraft(
  { rows, at }: Change,
  id: string,
  type: Extract<InternalEventType, `draft.${string}`>,
): Promise<void> {
  await rows(tell, [id, type, newId('evn'), at]);
}

const columnsOf = ({ to, cc, bcc, subject, body, ...references }: Omit<StoredDraft, 'version'>) => [
  references.threadId,
  references.inReplyTo,
  references.signatureId,
  ...[to, cc, bcc].map((list) => JSON.stringify(list)),
  subject,
  body,
];

/** Moves the count of a draft from one conversation to another. */
async function moveInThreads(
  { rows, at }: Change,
  from: string | null,
  to: string | null,
): Promise<void> {
  if (from === to) return;
  const counts = [
    { id: from, by: -1 },
    { id: to, by: 1 },
  ];
  // Updates run in the order of ids, so that two moves between the same two cannot deadlock.
  counts.sort((one, other) => ((one.id ?? '') < (other.id ?? '') ? -1 : 1));
  for (const { id, by } of counts) {
    if (id !== null) await rows(countInThread, [id, by, at]);
  }
}
