import { systemActor, type FolderRole, type Placement } from '@postroom/contracts';
import type { Changing, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { ReceivingMailbox } from '../messages/index.js';
import type { SyncFault } from './faults.js';
import type { Flagged, FolderNumbers, Head, ListedFolder, Since } from './remote-mailbox.js';

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
}

export type Wanted = 'news' | 'history';

/** A message that is still to be read. */
export interface WantedMessage {
  readonly uid: number;
  readonly attempts: number;
}

/** A message that was stored, or was here already; `message` is ours. */
export interface Settled extends Head {
  readonly message: string | null;
  /** It has come from another folder, or is not where conversations begin. */
  readonly hasMoved: boolean;
}

const hold = statement<object>(
  'imap.hold',
  `SELECT FROM mailbox_syncs
   WHERE tenant_id = $1 AND mailbox_id = $2 AND turn = $3 AND lease_until > now()`,
);

const keepFolders = statement<object>('imap.keep_folders', 'SELECT keep_folders($1, $2, $3)');

const findFolders = statement<KnownFolder>(
  'imap.find_folders',
  `SELECT folder, path, role, coalesce(uid_validity, 0)::text AS "uidValidity", uid_next::float8 AS "uidNext",
     highest_modseq::text AS "highestModseq", counted, read_from::float8 AS "readFrom",
     uid_validity IS NOT NULL AS "isKnown", flags_at < now() - interval '10 minutes' AS "allFlags",
     history_since AS horizon
   FROM remote_folders JOIN mailbox_syncs USING (tenant_id, mailbox_id)
   WHERE tenant_id = $1 AND mailbox_id = $2 ORDER BY folder`,
);

const keepNumbers = statement<object>(
  'imap.keep_numbers',
  `UPDATE remote_folders SET uid_validity = $4, uid_next = $5, highest_modseq = $6, counted = $7,
     read_from = $8, flags_at = CASE WHEN $9 THEN now() ELSE flags_at END
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3`,
);

const want = statement<object>(
  'imap.want',
  `INSERT INTO remote_messages (tenant_id, mailbox_id, folder, uid_validity, uid, wanted)
   SELECT $1, $2, $3, $4, uid, $6 FROM unnest($5::bigint[]) AS list (uid)
   ON CONFLICT DO NOTHING`,
);

const findWanted = statement<WantedMessage>(
  'imap.find_wanted',
  `SELECT uid::float8 AS uid, attempts FROM remote_messages
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4 AND wanted = $5
   ORDER BY attempts, CASE WHEN $5 = 'news' THEN uid ELSE -uid END LIMIT $6`,
);

/** Locked, so that of two owners one stores it. */
const lockWanted = statement<{ uid: number }>(
  'imap.lock_wanted',
  `SELECT uid::float8 AS uid FROM remote_messages
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4 AND uid = ANY ($5::bigint[])
     AND wanted IS NOT NULL ORDER BY uid FOR UPDATE`,
);

const settle = statement<object>(
  'imap.settle',
  `INSERT INTO remote_messages AS r
     (tenant_id, mailbox_id, folder, uid_validity, uid, message, message_id, size_bytes, arrived_at, flags, modseq,
      moved)
   SELECT $1, $2, $3, $4, s.uid, s.message, s.message_id, s.size_bytes, s.arrived_at, s.flags, s.modseq, s.moved
   FROM json_to_recordset($5) AS s (uid bigint, message text, message_id text, size_bytes bigint,
     arrived_at timestamptz, flags text[], modseq numeric, moved boolean)
   ON CONFLICT (tenant_id, mailbox_id, folder, uid_validity, uid) DO UPDATE SET wanted = NULL, attempts = 0,
     message = EXCLUDED.message, message_id = EXCLUDED.message_id, size_bytes = EXCLUDED.size_bytes, arrived_at = EXCLUDED.arrived_at,
     flags = EXCLUDED.flags, modseq = EXCLUDED.modseq, moved = r.moved OR EXCLUDED.moved`,
);

/** After three times a message that does not come counts as unreadable. */
const missed = statement<object>(
  'imap.missed',
  `UPDATE remote_messages SET attempts = attempts + 1,
     wanted = CASE WHEN attempts >= 2 THEN NULL ELSE wanted END
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4
     AND uid = ANY ($5::bigint[]) AND wanted IS NOT NULL`,
);

const flag = statement<object>(
  'imap.flag',
  `UPDATE remote_messages r SET flags = s.flags, modseq = s.modseq
   FROM json_to_recordset($5) AS s (uid bigint, flags text[], modseq numeric)
   WHERE r.tenant_id = $1 AND r.mailbox_id = $2 AND r.folder = $3 AND r.uid_validity = $4 AND r.uid = s.uid`,
);

/** A message that was never read is forgotten. */
const lose = statement<object>(
  'imap.lose',
  `WITH lost AS (
     SELECT known.uid FROM remote_messages known
     WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4 AND gone_at IS NULL
       AND (EXISTS (SELECT FROM unnest($5::bigint[]) AS gone (uid) WHERE gone.uid = known.uid)
         OR $6::bigint[] IS NOT NULL AND uid < $7
           AND NOT EXISTS (SELECT FROM unnest($6::bigint[]) AS there (uid) WHERE there.uid = known.uid))
   ), forgotten AS (
     DELETE FROM remote_messages r USING lost WHERE r.tenant_id = $1 AND r.mailbox_id = $2 AND r.folder = $3
       AND r.uid_validity = $4 AND r.uid = lost.uid AND r.message IS NULL
   )
   UPDATE remote_messages r SET gone_at = now(), moved = true FROM lost
   WHERE r.tenant_id = $1 AND r.mailbox_id = $2 AND r.folder = $3 AND r.uid_validity = $4
     AND r.uid = lost.uid AND r.message IS NOT NULL`,
);

const match = statement<object>('imap.match', 'SELECT match_remote($1, $2, $3, $4, $5)');

const forget = statement<object>(
  'imap.forget_other_validity',
  `DELETE FROM remote_messages WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity <> $4`,
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

export interface MoveToFollow {
  readonly conversationId: string;
  readonly placement: Placement;
}

const movesToFollow = statement<MoveToFollow>(
  'imap.moves_to_follow',
  'SELECT conversation_id AS "conversationId", placement FROM moves_to_follow($1, $2)',
);

const followed = statement<object>(
  'imap.followed',
  'UPDATE remote_messages SET moved = false WHERE tenant_id = $1 AND mailbox_id = $2 AND moved',
);

const named = statement<{ messageId: string; message: string }>(
  'imap.messages_named',
  'SELECT message_id AS "messageId", message FROM messages_named($1, $2, $3)',
);

/** Knowledge of one mailbox at its server. Every change is refused once another process has the mailbox. */
export class Ledger {
  private newestReadAt: Date | null = null;

  constructor(
    private readonly work: UnitOfWork,
    readonly mailbox: LeasedMailbox,
  ) {}

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
    { folder }: KnownFolder,
    { uidValidity, uidNext, highestModseq, counted }: FolderNumbers,
    { readFrom, allFlags }: Pick<Since, 'readFrom' | 'allFlags'>,
  ): Promise<unknown> {
    const values = [uidValidity, uidNext, highestModseq, counted, readFrom, allFlags];
    return rows(keepNumbers, [this.mailbox.mailboxId, folder, ...values]);
  }

  /** Notes messages that are to be read. */
  want(
    { rows }: Changing,
    place: FolderPlace,
    uids: readonly number[],
    wanted: Wanted,
  ): Promise<unknown> {
    return uids.length === 0 ? nothing : rows(want, [...this.in(place), uids, wanted]);
  }

  wanted(
    { rows }: Changing,
    place: FolderPlace,
    wanted: Wanted,
    limit: number,
  ): Promise<readonly WantedMessage[]> {
    return rows(findWanted, [...this.in(place), wanted, limit]);
  }

  async hasWanted(changing: Changing, place: FolderPlace, wanted: Wanted): Promise<boolean> {
    return (await this.wanted(changing, place, wanted, 1)).length > 0;
  }

  /** Those of some messages that are still to be read, locked until the commit. */
  async lockWanted(
    { rows }: Changing,
    place: FolderPlace,
    uids: readonly number[],
  ): Promise<ReadonlySet<number>> {
    const found = await rows(lockWanted, [...this.in(place), uids]);
    return new Set(found.map(({ uid }) => uid));
  }

  settle({ rows }: Changing, place: FolderPlace, settled: readonly Settled[]): Promise<unknown> {
    for (const { receivedAt } of settled) {
      if (receivedAt && receivedAt > (this.newestReadAt ?? 0)) this.newestReadAt = receivedAt;
    }
    const list = settled.map(({ uid, message, hasMoved, ...head }) => ({
      ...{ uid, message, moved: hasMoved },
      ...headRow(head),
    }));
    return list.length === 0 ? nothing : rows(settle, [...this.in(place), JSON.stringify(list)]);
  }

  missed({ rows }: Changing, place: FolderPlace, uids: readonly number[]): Promise<unknown> {
    return uids.length === 0 ? nothing : rows(missed, [...this.in(place), uids]);
  }

  flag({ rows }: Changing, place: FolderPlace, flagged: readonly Flagged[]): Promise<unknown> {
    return flagged.length === 0
      ? nothing
      : rows(flag, [...this.in(place), JSON.stringify(flagged)]);
  }

  /** @param present all that are there below a UID; null where that is not known */
  lose(
    { rows }: Changing,
    place: FolderPlace,
    vanished: readonly number[],
    present: readonly number[] | null,
    below: number,
  ): Promise<unknown> {
    if (vanished.length === 0 && present === null) return nothing;
    return rows(lose, [...this.in(place), vanished, present, below]);
  }

  /** Messages of ours under Message-IDs. */
  async named({ rows }: Changing, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await rows(named, [this.mailbox.mailboxId, ids]);
    return new Map(found.map(({ messageId, message }) => [messageId, message]));
  }

  /** Matches messages under another validity with what is known, and notes those that match nothing. */
  match({ rows }: Changing, place: FolderPlace, heads: readonly Head[]): Promise<unknown> {
    const list = heads.map(({ uid, ...head }) => ({ uid, ...headRow(head) }));
    return rows(match, [...this.in(place), JSON.stringify(list)]);
  }

  /** Forgets UIDs of any other validity. */
  forgetOthers({ rows }: Changing, place: FolderPlace): Promise<unknown> {
    return rows(forget, this.in(place));
  }

  movesToFollow({ rows }: Changing): Promise<readonly MoveToFollow[]> {
    return rows(movesToFollow, [this.mailbox.mailboxId]);
  }

  followed({ rows }: Changing): Promise<unknown> {
    return rows(followed, [this.mailbox.mailboxId]);
  }

  /** Records a round without fault; true while there is history to be read. */
  async progress({ rows }: Changing): Promise<boolean> {
    const [found] = await rows(progress, [this.mailbox.mailboxId, this.newestReadAt]);
    return found?.state === 'history';
  }

  /** Records a fault, and when the mailbox is tried again. */
  fail({ rows, at }: Changing, { code, text, retryAt }: SyncFault): Promise<unknown> {
    const said = JSON.stringify({ code, text, at: at.toISOString() });
    return rows(fail, [this.mailbox.mailboxId, said, code, retryAt]);
  }

  private in({ folder, uidValidity }: FolderPlace): readonly unknown[] {
    return [this.mailbox.mailboxId, folder, uidValidity];
  }
}

/** A folder, and under which validity its UIDs are meant. */
export type FolderPlace = Pick<KnownFolder, 'folder' | 'uidValidity'>;

const headRow = ({ messageId, sizeBytes, receivedAt, flags, modseq }: Omit<Head, 'uid'>) => ({
  ...{ message_id: messageId, size_bytes: sizeBytes, arrived_at: receivedAt },
  ...{ flags, modseq },
});

const nothing: Promise<unknown> = Promise.resolve();
