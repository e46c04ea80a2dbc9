import type { FolderRole, Placement } from '@postroom/contracts';
import { systemActor } from '@postroom/contracts/events';
import type { Changing, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { ReceivingMailbox } from '../messages/index.js';
import { ChangeLedger } from './change-ledger.js';
import type { SyncFault } from './faults.js';
import { MessageLedger } from './message-ledger.js';
import type { FolderNumbers, ListedFolder, Since } from './remote-mailbox.js';

/** A mailbox that this process reads, and the turn in which it does: a later owner has a higher one. */
export interface LeasedMailbox extends ReceivingMailbox {
  readonly turn: number;
}

/** Another process reads the mailbox now: what this one does is refused. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A folder as it was when it was last looked at. */
export interface KnownFolder extends Since {
  readonly folder: number;
  readonly path: string;
  readonly role: FolderRole;
  /** False if it has not been looked at yet. */
  readonly isKnown: boolean;
  /** Older messages are left where they are; null: none are. */
  readonly horizon: Date | null;
  /** True until what the horizon includes now was asked for. */
  readonly wantsOlder: boolean;
}

/** A session follows the account: what it does here is not to be done there again. */
const hold = statement<object>(
  'imap.hold',
  `SELECT set_config('postroom.follows_account', 'on', true) FROM mailbox_syncs
   WHERE tenant_id = $1 AND mailbox_id = $2 AND turn = $3 AND lease_until > now()`,
);

const keepFolders = statement<object>('imap.keep_folders', 'SELECT keep_folders($1, $2, $3)');

const findFolders = statement<KnownFolder>(
  'imap.find_folders',
  `SELECT folder, path, role, coalesce(uid_validity, 0)::text AS "uidValidity", uid_next::float8 AS "uidNext",
     highest_modseq::text AS "highestModseq", counted, read_from::float8 AS "readFrom",
     uid_validity IS NOT NULL AS "isKnown", flags_at < now() - interval '10 minutes' AS "allFlags",
     history_since AS horizon, coalesce(history_since, '-infinity') < history_to AS "wantsOlder"
   FROM remote_folders JOIN mailbox_syncs USING (tenant_id, mailbox_id)
   WHERE tenant_id = $1 AND mailbox_id = $2 ORDER BY folder`,
);

const keepNumbers = statement<object>(
  'imap.keep_numbers',
  `UPDATE remote_folders SET uid_validity = $4, uid_next = $5, highest_modseq = $6, counted = $7,
     read_from = $8, flags_at = CASE WHEN $9 THEN now() ELSE flags_at END,
     history_to = coalesce($10::timestamptz, '-infinity')
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3`,
);

const progress = statement<{ state: string }>(
  'imap.progress',
  `UPDATE mailbox_syncs SET state = CASE WHEN EXISTS (
       SELECT FROM remote_messages r WHERE r.tenant_id = $1 AND r.mailbox_id = $2 AND r.wanted = 'history')
       THEN 'history' ELSE 'live' END,
     since = CASE WHEN state IN ('history', 'live') THEN since ELSE now() END,
     said = NULL, failures = 0, refused_since = NULL,
     newest_read_at = greatest(newest_read_at, $3)
   WHERE tenant_id = $1 AND mailbox_id = $2 RETURNING state`,
);

/** The wait after a fault depends on its code, or on the number of faults in a row. */
const fail = statement<object>(
  'imap.fail',
  `UPDATE mailbox_syncs s SET failures = s.failures + 1, said = $3, state = n.state,
     since = CASE WHEN s.state = n.state THEN s.since ELSE now() END,
     refused_since = CASE WHEN n.is_refused THEN coalesce(s.refused_since, now()) ELSE s.refused_since END,
     next_try_at = n.next_try_at
   FROM fault_outcome($1, $2, $4, $5) n
   WHERE s.tenant_id = $1 AND s.mailbox_id = $2`,
);

/** A conversation some of whose messages have moved; null: it stays where it is. */
export interface MoveToFollow {
  readonly conversationId: string;
  readonly placement: Placement | null;
}

/** Conversations that are followed in one commit. */
const followedAtOnce = 200;

const movesToFollow = statement<MoveToFollow>(
  'imap.moves_to_follow',
  'SELECT conversation_id AS "conversationId", placement FROM moves_to_follow($1, $2, $3)',
);

const followed = statement<object>(
  'imap.followed',
  `UPDATE remote_messages SET moved = false WHERE tenant_id = $1 AND mailbox_id = $2 AND moved
     AND ($3 = '{}' OR message IN (SELECT id FROM messages WHERE tenant_id = $1 AND conversation_id = ANY ($3::text[])))`,
);

/** Knowledge of one mailbox at its server. Every change is refused once another process has the mailbox. */
export class Ledger {
  readonly messages: MessageLedger;
  readonly changes: ChangeLedger;

  constructor(
    private readonly work: Pick<UnitOfWork, 'change'>,
    readonly mailbox: LeasedMailbox,
  ) {
    this.messages = new MessageLedger(mailbox.mailboxId);
    this.changes = new ChangeLedger(mailbox.mailboxId);
  }

  /**
   * Commits a change under the lease.
   * @throws LeaseLost
   */
  change<T>(work: (changing: Changing) => Promise<T>): Promise<T> {
    const { tenantId, mailboxId, turn } = this.mailbox;
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    return this.work.change(origin, null, async (changing) => {
      const [held] = await changing.rows(hold, [mailboxId, turn]);
      if (!held) throw new LeaseLost('another process reads the mailbox');
      return { value: await work(changing) };
    });
  }

  keepFolders({ rows }: Changing, listed: readonly ListedFolder[]): Promise<unknown> {
    return rows(keepFolders, [this.mailbox.mailboxId, JSON.stringify(listed)]);
  }

  folders({ rows }: Changing): Promise<readonly KnownFolder[]> {
    return rows(findFolders, [this.mailbox.mailboxId]);
  }

  keepNumbers(
    { rows }: Changing,
    { folder, horizon }: KnownFolder,
    { uidValidity, uidNext, highestModseq, counted }: FolderNumbers,
    { readFrom, allFlags }: Pick<Since, 'readFrom' | 'allFlags'>,
  ): Promise<unknown> {
    const values = [uidValidity, uidNext, highestModseq, counted, readFrom, allFlags, horizon];
    return rows(keepNumbers, [this.mailbox.mailboxId, folder, ...values]);
  }

  movesToFollow({ rows }: Changing): Promise<readonly MoveToFollow[]> {
    return rows(movesToFollow, [this.mailbox.mailboxId, followedAtOnce]);
  }

  /** Clears the marks of the moves that were followed; of all messages when none are left. */
  followed({ rows }: Changing, moves: readonly MoveToFollow[]): Promise<unknown> {
    const conversations = moves.map(({ conversationId }) => conversationId);
    return rows(followed, [this.mailbox.mailboxId, conversations]);
  }

  /** Records a round without fault; true while there is history to be read. */
  async progress({ rows }: Changing): Promise<boolean> {
    const [found] = await rows(progress, [this.mailbox.mailboxId, this.messages.newestReadAt]);
    return found?.state === 'history';
  }

  /** Records a fault, and when the mailbox is tried again. */
  fail({ rows, at }: Changing, { code, text, retryAt }: SyncFault): Promise<unknown> {
    const said = JSON.stringify({ code, text, at: at.toISOString() });
    return rows(fail, [this.mailbox.mailboxId, said, code, retryAt]);
  }
}
