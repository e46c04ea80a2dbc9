import type { Caller } from '@postroom/access';
import { invalidField, Problem, signaturesMax, type Signature } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

/** The content of a signature. */
export interface SignatureContent {
  readonly html: string;
  readonly text: string;
  /** True if the text is derived from the HTML, and derived again when that changes. */
  readonly textDerived: boolean;
}

/** A signature as it is stored. */
export interface KeptSignature extends SignatureContent {
  readonly id: string;
  readonly name: string;
  readonly mailbox: string | null;
  readonly isDefault: boolean;
  readonly version: number;
}

/** The mailboxes that the caller may use; both null for an administrator, who may use all. */
type Reach = readonly [addresses: readonly string[] | null, memberId: string | null];

type Rows = Pick<Reading, 'rows'>;

const columns = `(f.signature).id, (f.signature).name, (f.signature).html, (f.signature).text,
  f.mailbox, (f.signature).is_default AS "isDefault", (f.signature).version`;

const list = statement<Signature>(
  'signatures.list',
  `SELECT ${columns}, ${instant('(f.signature).updated_at')} AS "updatedAt"
   FROM signatures_within($1, $2, $3) f`,
);

const find = statement<KeptSignature>(
  'signatures.find',
  `SELECT ${columns}, (f.signature).text_derived AS "textDerived"
   FROM signatures_within($1, $2, $3) f WHERE (f.signature).id = $4`,
);

// One writer a workspace at a time: the later of two new defaults wins, and the limit
// on signatures holds.
const lock = statement<object>('signatures.lock', `SELECT take_lock('signatures ' || $1)`);

const count = statement<{ count: number }>(
  'signatures.count',
  'SELECT count(*)::int AS count FROM signatures WHERE tenant_id = $1',
);

const findMailbox = statement<{ id: string }>(
  'signatures.find_mailbox',
  `SELECT m.id FROM mailboxes m WHERE m.tenant_id = $1 AND m.address = $2
   AND ($3::text IS NULL OR m.access ?| ARRAY['workspace', $3])`,
);

const clearDefault = statement<object>(
  'signatures.clear_default',
  `UPDATE signatures SET is_default = false, updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND is_default AND mailbox_id IS NOT DISTINCT FROM $2 AND id <> $3`,
);

const write = statement<Pick<Signature, 'updatedAt' | 'version'>>(
  'signatures.write',
  `INSERT INTO signatures AS s
     (tenant_id, id, mailbox_id, name, html, text, text_derived, is_default, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (tenant_id, id) DO UPDATE SET mailbox_id = $3, name = $4, html = $5, text = $6,
     text_derived = $7, is_default = $8, updated_at = $9, version = s.version + 1
   RETURNING ${instant('updated_at')} AS "updatedAt", version`,
);

const remove = statement<object>(
  'signatures.remove',
  'DELETE FROM signatures WHERE tenant_id = $1 AND id = $2',
);

function reachOf(caller: Caller): Reach {
  if (caller.type === 'key') return [Object.keys(caller.grants), null];
  return [null, caller.role === 'admin' ? null : caller.memberId];
}

/** The signatures that the caller may use, by name. */
export const listSignatures = ({ rows, caller }: Rows & Pick<Reading, 'caller'>) =>
  rows(list, [...reachOf(caller)]);

/** Locks the workspace's signatures against other changes until the end of the transaction. */
export async function lockSignatures({ rows }: Rows): Promise<void> {
  await rows(lock, []);
}

/** @throws Problem TOO_MANY_SIGNATURES */
export async function requireRoomForSignature({ rows }: Rows): Promise<void> {
  const [found] = await rows(count, []);
  if (found && found.count >= signaturesMax) throw new Problem('TOO_MANY_SIGNATURES');
}

/** @throws Problem SIGNATURE_NOT_FOUND also for one of a mailbox that the caller may not use */
export async function findSignature(
  { rows, caller }: Rows & Pick<Reading, 'caller'>,
  id: string,
): Promise<KeptSignature> {
  const [found] = await rows(find, [...reachOf(caller), id]);
  if (!found) throw new Problem('SIGNATURE_NOT_FOUND');
  return found;
}

/**
 * A signature for a mailbox that the caller may use, or for any mailbox.
 * @throws Problem SIGNATURE_NOT_FOUND
 */
export async function signatureFor(
  { rows }: Rows,
  mailbox: string,
  id: string,
): Promise<KeptSignature> {
  const [found] = await rows(find, [[mailbox], null, id]);
  if (!found) throw new Problem('SIGNATURE_NOT_FOUND');
  return found;
}

/**
 * Stores a new or changed signature; as the default it replaces the default of its mailbox.
 * @throws Problem INVALID_REQUEST when the caller may not use its mailbox
 */
export async function writeSignature(
  { rows, caller, at }: Changing & Pick<Reading, 'caller'>,
  { id, name, html, text, textDerived, mailbox, isDefault }: Omit<KeptSignature, 'version'>,
): Promise<Signature> {
  const mailboxId = mailbox === null ? null : await mailboxWithin(rows, mailbox, caller);
  if (isDefault) await rows(clearDefault, [mailboxId, id, at]);
  const values = [id, mailboxId, name, html, text, textDerived, isDefault, at];
  const [written] = await rows(write, values);
  if (!written) throw new Error('an upsert returns its row');
  return { id, name, html, text, mailbox, isDefault, ...written };
}

async function mailboxWithin(
  rows: Reading['rows'],
  address: string,
  caller: Caller,
): Promise<string> {
  const [, memberId] = reachOf(caller);
  const [found] = await rows(findMailbox, [address, memberId]);
  if (found) return found.id;
  throw invalidField('mailbox', 'boîte inconnue', 'there is no such mailbox', 'UNKNOWN_VALUE');
}

export async function removeSignature({ rows }: Rows, id: string): Promise<void> {
  await rows(remove, [id]);
}
