import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { ChangeRefused } from './faults.js';
import type { FolderPlace } from './message-ledger.js';
import type { Flagged, Moved, RemotePlace } from './remote-mailbox.js';

/** A change that is to be made to one message in one folder at the server. */
export interface ChangeStep extends RemotePlace {
  /** Ours. */
  readonly message: string;
  readonly aspect: 'place' | 'seen' | 'answered' | 'labels';
  readonly folder: number;
  readonly uid: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The folder that it is moved to; null where there is none. */
  readonly toFolder: number | null;
  readonly toPath: string | null;
  /** The folder that it is moved to has it already. */
  readonly isThere: boolean;
}

/** Steps that one command does: those of one folder with the same change. */
export type ChangeBatch = readonly [ChangeStep, ...ChangeStep[]];

/** The meaning of changed flags for a conversation; null: nothing. */
export interface FlagsToFollow {
  readonly conversationId: string;
  readonly unread: boolean | null;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Changes that are taken at once. */
const takenAtOnce = 200;
/** Five seconds after the first try, and twice as long after each: an hour and a half in all. */
const lastAttempt = 10;
const saidMax = 200;

const take = statement<ChangeStep>(
  'imap.take_changes',
  `SELECT message, aspect, folder, path, uid_validity::text AS "uidValidity", uid::float8 AS uid, added, removed,
     to_folder AS "toFolder", to_path AS "toPath", is_there AS "isThere" FROM take_changes($1, $2, $3, $4)`,
);

const flagged = statement<object>(
  'imap.note_flagged',
  `UPDATE remote_messages SET flags = ARRAY(
       SELECT flag FROM unnest(flags) AS flag WHERE lower(flag) <> ALL ($6::text[])
       UNION ALL SELECT unnest($7::text[]))
   WHERE tenant_id = $1 AND mailbox_id = $2 AND folder = $3 AND uid_validity = $4 AND uid = ANY ($5::bigint[])`,
);

const noteMoved = statement<object>(
  'imap.note_moved',
  'SELECT note_moved($1, $2, $3, $4, $5, $6, $7, $8)',
);

const end = statement<object>('imap.end_changes', 'SELECT end_done_changes($1, $2, $3)');

const refuse = statement<object>(
  'imap.refuse_changes',
  `UPDATE remote_changes c SET said = $4, given_up_at = CASE WHEN $5 THEN now() ELSE given_up_at END
   FROM unnest($3::text[], $6::text[]) AS s (message, aspect)
   WHERE c.tenant_id = $1 AND c.mailbox_id = $2 AND c.message = s.message AND c.aspect = s.aspect
     AND c.asked = c.wanted`,
);

const keepFlags = statement<FlagsToFollow>(
  'imap.keep_flags',
  `SELECT conversation_id AS "conversationId", unread, added, removed FROM keep_flags($1, $2, $3, $4, $5)`,
);

const yields = statement<{ yields: boolean }>(
  'imap.yields_place',
  'SELECT yields_place($1, $2, $3) AS yields',
);

const isTwoWay = statement<{ is: boolean }>('imap.is_two_way', 'SELECT is_two_way($1, $2) AS is');

/** Changes of ours that one mailbox's server has yet to make. Each method runs within a change of the mailbox's ledger. */
export class ChangeLedger {
  constructor(private readonly mailboxId: string) {}

  /** Takes changes whose time has come: that they are asked for is noted before they are. */
  take({ rows }: Changing): Promise<readonly ChangeStep[]> {
    return rows(take, [this.mailboxId, takenAtOnce, lastAttempt]);
  }

  /** Notes that messages have other flags now. */
  async flagged({ rows }: Changing, steps: ChangeBatch): Promise<void> {
    const [{ folder, uidValidity, added, removed }] = steps;
    const uids = steps.map(({ uid }) => uid);
    const values = [folder, uidValidity, uids, [...added, ...removed], added.map(asWritten)];
    await rows(flagged, [this.mailboxId, ...values]);
    await rows(end, [this.mailboxId, steps.map(({ message }) => message)]);
  }

  /** Notes that messages have moved. */
  async moved({ rows }: Changing, steps: ChangeBatch, moved: Moved): Promise<void> {
    const [{ folder, uidValidity, toFolder }] = steps;
    const [from, to] = [0, 1].map((end) => moved.pairs.map((pair) => pair[end]));
    const values = [folder, uidValidity, from, toFolder, moved.uidValidity, to];
    await rows(noteMoved, [this.mailboxId, ...values]);
    await rows(end, [this.mailboxId, steps.map(({ message }) => message)]);
  }

  /** Notes why changes were not made. */
  refused(
    { rows }: Changing,
    steps: ChangeBatch,
    { code, message }: ChangeRefused,
  ): Promise<unknown> {
    const [messages, aspects] = [steps.map((one) => one.message), steps.map((one) => one.aspect)];
    const said = JSON.stringify({ code, text: message.slice(0, saidMax) });
    return rows(refuse, [this.mailboxId, messages, said, code !== 'server_refused', aspects]);
  }

  /** Keeps the server's flags, and answers what is to be followed. */
  keepFlags(
    { rows }: Changing,
    { folder, uidValidity }: FolderPlace,
    told: readonly Flagged[],
  ): Promise<readonly FlagsToFollow[]> {
    return rows(keepFlags, [this.mailboxId, folder, uidValidity, JSON.stringify(told)]);
  }

  /** True if a conversation is to follow its messages, since no change of ours counts more. */
  async yieldsPlace({ rows }: Changing, conversationId: string, to: string): Promise<boolean> {
    const [found] = await rows(yields, [conversationId, to]);
    return found?.yields === true;
  }

  async isTwoWay({ rows }: Changing): Promise<boolean> {
    const [found] = await rows(isTwoWay, [this.mailboxId]);
    return found?.is === true;
  }
}

/** A flag as servers write it. */
const asWritten = (flag: string): string => flag.replace(/^\\./, (start) => start.toUpperCase());
