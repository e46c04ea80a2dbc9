import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** A row of a table: its start, and a hash of the whole. A sequence is one too: its last value. */
export interface StoredRow {
  readonly table: string;
  readonly hash: string;
  readonly start: string;
}

export type Snapshot = readonly StoredRow[];

/** Tables of all services, partitions included. */
const findTables = `SELECT format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** One that nobody has asked has no last value. */
const sequences = `SELECT format('%I.%I', schemaname, sequencename) AS "table",
  coalesce(last_value::text, '') AS hash, coalesce(last_value::text, '') AS start FROM pg_sequences`;

/** Longer than what is forwarded and sealed waits. */
const betweenMs = 1_500;

/** The rows of a product with a PostgreSQL of its own, as its superuser sees them: those of all workspaces. */
export class StoredRows {
  private constructor(private readonly client: Client) {}

  /** @param demoFile the product's `demo.json`, beside which it says where its database is */
  static async of(demoFile: string): Promise<StoredRows> {
    const found = await readFile(join(dirname(demoFile), 'database.json'), 'utf8');
    const { adminUrl } = JSON.parse(found) as { adminUrl: string };
    const client = new Client({ connectionString: adminUrl });
    await client.connect();
    return new StoredRows(client);
  }

  /** All rows of all tables, and the sequences, at one moment. */
  async snapshot(): Promise<Snapshot> {
    const tables = await this.client.query<{ name: string }>(findTables);
    const parts = tables.rows.map(
      ({ name }) =>
        // OFFSET keeps the row's text, which may be megabytes, from being made twice.
        `SELECT '${name}' AS "table", md5(row) AS hash, left(row, 300) AS start
         FROM (SELECT t::text AS row FROM ${name} t OFFSET 0) texts`,
    );
    const all = await this.client.query<StoredRow>([...parts, sequences].join(' UNION ALL '));
    return all.rows;
  }

  /** A snapshot once nothing is under way any more; `isByItself` tells what changes all the time. */
  async settled(isByItself: (change: Change) => boolean): Promise<Snapshot> {
    const untilMs = performance.now() + 240_000;
    for (let before = await this.snapshot(); ;) {
      await sleep(betweenMs);
      const now = await this.snapshot();
      const changes = changesBetween(before, now).filter((change) => !isByItself(change));
      if (changes.length === 0) return now;
      if (performance.now() > untilMs)
        throw new Error(`it does not come to rest: ${JSON.stringify(changes)}`);
      before = now;
    }
  }

  /** True if a service has published an event that says this. */
  async hasPublished(schema: string, text: string): Promise<boolean> {
    const found = await this.client.query(
      `SELECT FROM ${schema}.published_events WHERE strpos(envelope, $1) > 0 LIMIT 1`,
      [text],
    );
    return found.rows.length > 0;
  }

  /** Fills a mailbox: copies of a conversation, each a second older than the one before. */
  async repeatConversation(id: string, count: number): Promise<void> {
    const { rows } = await this.client.query<{ names: string }>(
      `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
       WHERE table_schema = 'mail' AND table_name = 'conversations' AND is_generated = 'NEVER'`,
    );
    const names = rows[0]?.names ?? '';
    // Without triggers: they count row by row.
    await this.client.query('SET session_replication_role = replica');
    await this.client.query(
      `INSERT INTO mail.conversations (${names})
       SELECT ${names} FROM (
         SELECT (jsonb_populate_record(c, jsonb_build_object(
           'id', 'cnv_' || lpad(n::text, 10, '0') || right(c.id, 16), 'subject', 'Copy ' || n,
           'last_message_id', NULL, 'unread', false,
           'last_message_at', c.last_message_at - n * interval '1 second'))).*
         FROM mail.conversations c, generate_series(1, $2::int) n WHERE c.id = $1) copies`,
      [id, count],
    );
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

/** A row that came (+1) or went (-1); an altered row did both. */
export interface Change extends StoredRow {
  readonly by: 1 | -1;
}

/** The differences between two snapshots. */
export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  return [
    ...rowsWithout(before, after).map((row) => ({ ...row, by: -1 as const })),
    ...rowsWithout(after, before).map((row) => ({ ...row, by: 1 as const })),
  ];
}

/** The rows of one that the other has not, equal rows counted. */
function rowsWithout(all: Snapshot, others: Snapshot): Snapshot {
  const counts = new Map<string, number>();
  for (const row of others) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  return all.filter((row) => {
    const left = counts.get(nameOf(row)) ?? 0;
    counts.set(nameOf(row), left - 1);
    return left <= 0;
  });
}

const nameOf = ({ table, hash }: StoredRow): string => `${table} ${hash}`;
