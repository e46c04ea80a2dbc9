import type { Changing } from '@postroom/operations';
import { statement, type Statement } from '@postroom/persistence';
import type { Head } from './remote-mailbox.js';

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

/** A folder, and under which validity its UIDs are meant. */
export interface FolderPlace {
  readonly folder: number;
  readonly uidValidity: string;
}

/** Messages of one statement, whose time is bounded. */
const wantedAtOnce = 5_000;

const unknown = statement<{ uid: number }>(
  'imap.unknown',
  `SELECT uid::float8 AS uid FROM (
     SELECT unnest($5::bigint[]) AS uid EXCEPT SELECT r.uid FROM remote_messages r WHERE r.tenant_id = $1
       AND r.mailbox_id = $2 AND r.folder = $3 AND r.uid_validity = $4 AND r.uid = ANY ($5)) AS found
   ORDER BY uid`,
);

const want = statement<object>(
  'imap.want',
  `INSERT INTO remote_messages (tenant_id, mailbox_id, folder, uid_validity, uid, wanted)
   SELECT $1, $2, $3, $4, uid, $6 FROM unnest($5::bigint[]) AS list (uid)
   ON CONFLICT DO NOTHING`,
);

const nextOf = (wanted: Wanted, order: string): Statement<WantedMessage> =>
  statement(
    `imap.find_${wanted}`,
    `SELECT uid::float8 AS uid, attempts FROM remote_messages
     WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4 AND wanted = '${wanted}'
     ORDER BY attempts, ${order} LIMIT $5`,
  );

/** New mail is read in the order in which it came. History is read from the newest on, in the order of its index. */
const findWanted = { news: nextOf('news', 'uid'), history: nextOf('history', 'uid DESC') };

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

/**
 * A message that was never read is forgotten. Nothing is joined: PostgreSQL takes a large folder for a small one, since it
 * does not know that mailbox and folder go together, and would compare each message with each.
 */
const lose = statement<object>(
  'imap.lose',
  `WITH lost AS (
     SELECT unnest($5::bigint[]) AS uid
     UNION (SELECT uid FROM remote_messages WHERE $6::bigint[] IS NOT NULL AND tenant_id = $1 AND mailbox_id = $2
         AND folder = $3 AND uid_validity = $4 AND uid < $7 AND gone_at IS NULL
       EXCEPT SELECT unnest($6::bigint[]))
   ), forgotten AS (
     DELETE FROM remote_messages WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4
       AND uid = ANY (ARRAY(SELECT uid FROM lost)) AND message IS NULL
   )
   UPDATE remote_messages SET gone_at = now(), moved = true
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4
     AND uid = ANY (ARRAY(SELECT uid FROM lost)) AND message IS NOT NULL AND gone_at IS NULL`,
);

const match = statement<object>('imap.match', 'SELECT match_remote($1, $2, $3, $4, $5)');

const forget = statement<object>(
  'imap.forget_other_validity',
  `DELETE FROM remote_messages WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity <> $4`,
);

const named = statement<{ messageId: string; message: string }>(
  'imap.messages_named',
  'SELECT message_id AS "messageId", message FROM messages_named($1, $2, $3)',
);

/** Knowledge of the messages of one mailbox at its server. Each method runs within a change of its ledger. */
export class MessageLedger {
  private newest: Date | null = null;

  constructor(private readonly mailboxId: string) {}

  /** When the newest message arrived that was settled. */
  get newestReadAt(): Date | null {
    return this.newest;
  }

  /** Those of some UIDs that are not known: we have moved others there ourselves. */
  async unknown(
    { rows }: Changing,
    place: FolderPlace,
    uids: readonly number[],
  ): Promise<number[]> {
    return (await rows(unknown, [...this.in(place), uids])).map(({ uid }) => uid);
  }

  /** Notes messages that are to be read. */
  async want(
    { rows }: Changing,
    place: FolderPlace,
    uids: readonly number[],
    wanted: Wanted,
  ): Promise<void> {
    for (let at = 0; at < uids.length; at += wantedAtOnce) {
      await rows(want, [...this.in(place), uids.slice(at, at + wantedAtOnce), wanted]);
    }
  }

  wanted(
    { rows }: Changing,
    place: FolderPlace,
    wanted: Wanted,
    limit: number,
  ): Promise<readonly WantedMessage[]> {
    return rows(findWanted[wanted], [...this.in(place), limit]);
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

  /** Notes when messages arrived that are settled. */
  noteRead(heads: readonly Pick<Head, 'receivedAt'>[]): void {
    for (const { receivedAt } of heads) {
      if (receivedAt && receivedAt > (this.newest ?? 0)) this.newest = receivedAt;
    }
  }

  settle({ rows }: Changing, place: FolderPlace, settled: readonly Settled[]): Promise<unknown> {
    this.noteRead(settled);
    const list = settled.map(({ uid, message, hasMoved, ...head }) => ({
      ...{ uid, message, moved: hasMoved },
      ...headRow(head),
    }));
    return list.length === 0 ? nothing : rows(settle, [...this.in(place), JSON.stringify(list)]);
  }

  missed({ rows }: Changing, place: FolderPlace, uids: readonly number[]): Promise<unknown> {
    return uids.length === 0 ? nothing : rows(missed, [...this.in(place), uids]);
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
    const found = await rows(named, [this.mailboxId, ids]);
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

  private in({ folder, uidValidity }: FolderPlace): readonly unknown[] {
    return [this.mailboxId, folder, uidValidity];
  }
}

const headRow = ({ messageId, sizeBytes, receivedAt, flags, modseq }: Omit<Head, 'uid'>) => ({
  ...{ message_id: messageId, size_bytes: sizeBytes, arrived_at: receivedAt },
  ...{ flags, modseq },
});

const nothing: Promise<unknown> = Promise.resolve();
