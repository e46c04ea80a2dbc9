import type { Participant } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { wholeOriginal } from '../originals.js';
import { ChangeRefused } from './faults.js';
import type { KnownFolder } from './ledger.js';
import type { Sync } from './reading.js';
import type { Appended } from './remote-mailbox.js';

/** A message that was sent, or may have been, whose copy is looked for. */
interface SentCopy {
  /** RFC 5322, without angle brackets. */
  readonly messageId: string;
  /** Ours. */
  readonly message: string;
  /** True if it is unknown whether it left: a copy proves that it did, and none is made. */
  readonly isUnknown: boolean;
  readonly mode: 'auto' | 'append' | 'never';
  /** The server that it was handed to; null for the deployment's. */
  readonly host: string | null;
  readonly looks: number;
  readonly sentAt: Date;
  readonly bcc: readonly Participant[] | null;
  /** When this began to write a copy, and where it was written, once that is known. */
  readonly writtenAt: Date | null;
  readonly written: Appended | null;
}

const dueMax = 20;

const due = statement<SentCopy>(
  'imap.due_copies',
  `SELECT c.message_id AS "messageId", c.message, m.id IS NULL AS "isUnknown", a.sent_copy AS mode,
     b.outgoing->>'host' AS host, c.looks, coalesce(m.received_at, now()) AS "sentAt", m.bcc,
     c.written_at AS "writtenAt", c.written
   FROM sent_copies c JOIN mailbox_accounts a USING (tenant_id, mailbox_id)
   JOIN mailboxes b ON b.tenant_id = c.tenant_id AND b.id = c.mailbox_id
   LEFT JOIN messages m ON m.tenant_id = c.tenant_id AND m.id = c.message
   WHERE c.tenant_id = $1 AND c.mailbox_id = $2 AND c.look_at <= now() ORDER BY c.look_at LIMIT $3`,
);

const lookLater = statement<object>(
  'imap.look_for_copy_later',
  `UPDATE sent_copies SET looks = looks + 1, look_at = now() + make_interval(secs => $4)
   WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = $3`,
);

const write = statement<object>(
  'imap.write_copy',
  `UPDATE sent_copies SET written_at = now(), written = $4, looks = 0, look_at = now() + interval '30 seconds'
   WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = $3`,
);

const end = statement<object>(
  'imap.end_copy',
  `DELETE FROM sent_copies WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = $3`,
);

/** The look-ups before a copy is made, in seconds after the one before; the first one is 5 s after the message left. */
const pausesSeconds: readonly number[] = [25, 90];
/** A copy that the server refuses, since the account is full, is tried again for a day. */
const refusedSeconds = 3_600;
const refusedMs = 24 * refusedSeconds * 1_000;

/**
 * Servers that put a copy of what they are handed into the folder of sent mail themselves. Of Google:
 * https://support.google.com/mail/answer/78892; of Microsoft:
 * https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission;
 * Apple, Zoho and Yandex by what users of mail programs report.
 */
const filesItself =
  /^(?:smtp\.gmail\.com|smtp\.googlemail\.com|smtp\.office365\.com|smtp-mail\.outlook\.com|smtp\.mail\.me\.com|smtp\.zoho\.(?:com|eu)|smtp\.yandex\.(?:com|ru))$/i;

/**
 * Has each message that was sent once in the account's folder of sent mail: those whose time has come are looked for,
 * and a copy is written where the server makes none. A copy of a message whose send has no known outcome proves that it
 * left.
 * @returns true if something was looked for
 */
export async function fileSent(sync: Sync, folders: readonly KnownFolder[]): Promise<boolean> {
  const { ledger } = sync;
  const { mailboxId } = ledger.mailbox;
  const copies = await ledger.change(({ rows }) => rows(due, [mailboxId, dueMax]));
  const sent = folders.find(({ role }) => role === 'sent');
  for (const copy of copies) {
    const step = sent ? await nextStep(sync, sent, copy) : 'end';
    if (step === 'write' && sent) await writeCopy(sync, sent, copy);
    else await ledger.change((changing) => take(changing, mailboxId, copy, step));
  }
  return copies.length > 0;
}

type Step = 'end' | 'later' | 'write';

async function nextStep({ remote }: Sync, sent: KnownFolder, copy: SentCopy): Promise<Step> {
  const { uidValidity, uids } = await remote.find(sent.path, copy.messageId);
  const { written } = copy;
  if (uids.length > 1 && written?.uidValidity === uidValidity && uids.includes(written.uid)) {
    await remote.remove(sent.path, written);
  }
  if (uids.length > 0) return copy.writtenAt && copy.looks === 0 ? 'later' : 'end';
  return copy.looks < pausesSeconds.length && copy.mode !== 'append' ? 'later' : lastStep(copy);
}

/** Nothing has been found for the last time. */
function lastStep({ isUnknown, mode, host, written, writtenAt, sentAt }: SentCopy): Step {
  // One that was written and is gone was deleted there.
  if (isUnknown || mode === 'never' || written) return 'end';
  if (writtenAt && Date.now() - sentAt.getTime() > refusedMs) return 'end';
  return mode === 'auto' && filesItself.test(host ?? '') ? 'end' : 'write';
}

function take({ rows }: Changing, mailboxId: string, copy: SentCopy, step: Step): Promise<unknown> {
  const { messageId, looks } = copy;
  if (step === 'end') return rows(end, [mailboxId, messageId]);
  return rows(lookLater, [mailboxId, messageId, pausesSeconds[looks] ?? pausesSeconds[0]]);
}

/** That it is being written is noted before it is, so that a break is followed by a look. */
async function writeCopy(sync: Sync, sent: KnownFolder, copy: SentCopy): Promise<void> {
  const { remote, ledger, bytes } = sync;
  const { mailboxId, tenantId: workspace } = ledger.mailbox;
  const { messageId, message, bcc, sentAt } = copy;
  const raw = await ledger.change(async (changing) => {
    await changing.rows(write, [mailboxId, messageId, null]);
    return wholeOriginal(changing, message);
  });
  const blind = bcc?.length ? `Bcc: ${bcc.map(({ email }) => email).join(', ')}\r\n` : '';
  const append = (): Promise<Appended | null> =>
    remote.append(sent.path, Buffer.concat([Buffer.from(blind), raw]), sentAt);
  try {
    const written = await bytes.runInTurn({ workspace }, append, { amount: raw.length });
    if (written === null) return;
    await ledger.change(({ rows }) => rows(write, [mailboxId, messageId, JSON.stringify(written)]));
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    await ledger.change(({ rows }) => rows(lookLater, [mailboxId, messageId, refusedSeconds]));
  }
}
