import { partOfBook } from '@postroom/directory';
import { exportEvents } from '@postroom/scheduling';
import { ExportFiles, exportFormat, fileName, type FilePart, mboxEntry } from './export-files.js';
import { readTables, TenantSnapshot } from './tenant-tables.js';
import { storingServiceNames } from '@postroom/contracts';
import { connectAccess, workspaceId } from '@postroom/gateway';
import { findDatabase } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { UsageError, type Command } from '../run-command.js';

/** Further files of a schema, beside its tables. */
const open: Readonly<
  Record<string, (snapshot: TenantSnapshot, files: ExportFiles) => Promise<void>>
> = { mail: exportMail, directory: exportContacts, scheduling: exportCalendars };

/** Writes everything of a workspace to files in open formats. */
export const exportWorkspace: Command = {
  words: ['workspace', 'export'],
  usage: `postroom workspace export --name NAME --to FOLDER
    Writes everything of a workspace into a new folder: messages as mbox, contacts as vCard, events as
    iCalendar, and every table as NDJSON, without secrets. Each service is read as it is at one moment.
    manifest.json comes last; an export without it was cut off.`,
  async run({ rest, options, env }) {
    const { name = '', to = '' } = options;
    if (rest.length > 0 || name === '' || to === '') throw new UsageError();
    const config = loadPostroomConfig(env);
    const id = await findWorkspace(await findDatabase(config, 'access'), name);
    const files = await ExportFiles.in(to);
    const exportedAt = new Date().toISOString();
    for (const service of storingServiceNames) {
      const url = await findDatabase(config, service);
      const snapshot = await TenantSnapshot.open(url, service, id);
      try {
        await exportTables(snapshot, service, files);
        await open[service]?.(snapshot, files);
      } finally {
        await snapshot.close();
      }
    }
    await files.finish({ workspace: { id, name }, exportedAt, format: exportFormat });
    return files.written.map(({ path, records, bytes }) => `${path}: ${records} (${bytes} bytes)`);
  },
};

/** @throws SetupError when there is no workspace of that name */
export async function findWorkspace(accessUrl: string, name: string): Promise<string> {
  const database = await connectAccess(accessUrl);
  try {
    const id = await workspaceId(database, name);
    if (id === null) throw new SetupError(`There is no workspace named "${name}".`);
    return id;
  } finally {
    await database.close();
  }
}

/**
 * Tables without anything of a workspace that is not in another file: what is on its way, what is remembered
 * for a day, what is derived, what signs in, how a clock goes. Messages are in the mbox files.
 */
export const leftOut: ReadonlySet<string> = new Set([
  ...[
    'replies',
    'inbox',
    'outbox',
    'published_events',
    'audit_records',
    'volume_deltas',
    'recorded_bytes',
  ],
  ...['raw_messages', 'staged_messages', 'search_documents', 'send_reservations', 'dlp_warnings'],
  ...['sessions', 'invitations', 'oauth_tokens', 'audit_heads', 'stream_events', 'test_counters'],
  ...['feeds', 'quota_counters', 'clocks', 'clock_advances'],
]);

/** Every table of a schema as NDJSON, a row a line, without secrets. */
async function exportTables(
  snapshot: TenantSnapshot,
  schema: string,
  files: ExportFiles,
): Promise<void> {
  for (const { name, columns } of await readTables(snapshot.client, schema)) {
    if (leftOut.has(name)) continue;
    const list = columns.map((column) => `"${column}"`).join(', ');
    const text = `SELECT row_to_json(t)::text AS line FROM (SELECT ${list} FROM ${schema}."${name}") t`;
    await files.write(`${schema}/${name}.ndjson`, linesOf(snapshot.pages<{ line: string }>(text)));
  }
}

async function* linesOf(pages: AsyncIterable<{ line: string }[]>): AsyncGenerator<FilePart> {
  for await (const rows of pages)
    yield { text: rows.map(({ line }) => `${line}\n`).join(''), records: rows.length };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const named = async ({ client }: TenantSnapshot, text: string): Promise<Named[]> =>
  (await client.query<Named>(text)).rows;

/** The end of the trace header and the length of each message in the mbox files, in their order. */
const originals = `
  SELECT json_build_object('tenant_id', m.tenant_id, 'mailbox_id', m.mailbox_id, 'message', m.id,
    'trace', r.trace, 'bytes', r.bytes)::text AS line
  FROM messages m CROSS JOIN LATERAL (
    SELECT max(p.trace) FILTER (WHERE p.start = 0) AS trace, sum(octet_length(p.raw))::int AS bytes
    FROM raw_messages p WHERE p.tenant_id = m.tenant_id AND p.message = m.id) r
  WHERE r.bytes IS NOT NULL ORDER BY m.mailbox_id, m.received_at, m.id`;

/** An mbox file of each mailbox, its messages byte for byte, the oldest first. */
async function exportMail(snapshot: TenantSnapshot, files: ExportFiles): Promise<void> {
  const list = snapshot.pages<{ line: string }>(originals);
  await files.write('mail/originals.ndjson', linesOf(list));
  for (const { id, name } of await named(snapshot, 'SELECT id, address AS name FROM mailboxes'))
    await files.write(`mail/${fileName(name, id)}.mbox`, messagesOf(snapshot, id));
}

async function* messagesOf(snapshot: TenantSnapshot, mailboxId: string): AsyncGenerator<FilePart> {
  const { client } = snapshot;
  const mailbox = client.escapeLiteral(mailboxId);
  const messages = snapshot.pages<{ id: string; received_at: Date }>(
    `SELECT id, received_at FROM messages WHERE mailbox_id = ${mailbox} ORDER BY received_at, id`,
  );
  for await (const page of messages) {
    for (const { id, received_at: receivedAt } of page) {
      const { rows } = await client.query<{ trace: string; raw: Buffer }>(
        'SELECT trace, raw FROM raw_messages WHERE message = $1 ORDER BY start',
        [id],
      );
      if (rows.length === 0) continue;
      const raw = Buffer.concat(rows.map((piece) => piece.raw));
      yield { text: mboxEntry({ trace: rows[0]?.trace ?? '', raw, receivedAt }), records: 1 };
    }
  }
}

interface Part {
  readonly lines: string;
  readonly after: string | null;
}

/** Contacts as vCard 4.0, a file a book. */
async function exportContacts(snapshot: TenantSnapshot, files: ExportFiles): Promise<void> {
  const books = 'SELECT id, name FROM address_books WHERE deleted_at IS NULL';
  for (const { id, name } of await named(snapshot, books)) {
    const cards = (after: string) => partOfBook(snapshot, { id, format: 'vcard', after });
    await files.write(`contacts/${fileName(`${name} `, id)}.vcf`, parts(cards, 'BEGIN:VCARD'));
  }
}

/** Events as iCalendar, a file a calendar; tasks have no such form here and are NDJSON alone. */
async function exportCalendars(snapshot: TenantSnapshot, files: ExportFiles): Promise<void> {
  for (const { id, name } of await named(snapshot, 'SELECT id, name FROM calendars')) {
    const events = (after: string) => exportEvents(snapshot, id, after);
    await files.write(`calendars/${fileName(`${name} `, id)}.ics`, parts(events, 'BEGIN:VEVENT'));
  }
}

async function* parts(
  read: (after: string) => Promise<Part>,
  record: string,
): AsyncGenerator<FilePart> {
  for (let after: string | null = ''; after !== null;) {
    const part: Part = await read(after);
    yield { text: part.lines, records: part.lines.split(record).length - 1 };
    after = part.after;
  }
}
