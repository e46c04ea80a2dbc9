import { MboxSplitter } from '@postroom/formats';
import { storeSearchDocuments, type Indexed } from '@postroom/mail';
import type { Statement } from '@postroom/persistence';
import type { Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';
import { fileName } from './export-files.js';
import type { ImportFiles } from './import-files.js';

/** A message with its quotes and trace header; what is kept is smaller. */
const entryBytesMax = 256 * 1024 * 1024;
const pageRows = 200;

/** A message of a mailbox's mbox file, in its order: where its trace header ends, and how long it is. */
interface Original {
  readonly mailbox_id: string;
  readonly message: string;
  readonly trace: string;
  readonly bytes: number;
}

/** The messages byte for byte, from the mbox files. @throws SetupError for a file that lacks some */
export async function importOriginals(client: Client, files: ImportFiles): Promise<number> {
  const tenantId = files.workspace.id;
  let count = 0;
  let mailbox = '';
  let entries = entriesOf(files, '');
  for await (const line of files.lines('mail/originals.ndjson')) {
    const original = JSON.parse(line) as Original;
    if (original.mailbox_id !== mailbox) {
      mailbox = original.mailbox_id;
      entries = entriesOf(files, await mboxOf(client, tenantId, mailbox));
    }
    const { value: entry } = (await entries.next()) as { value: Buffer | undefined };
    await keep(client, tenantId, original, entry);
    count += 1;
  }
  return count;
}

async function mboxOf(client: Client, tenantId: string, mailbox: string): Promise<string> {
  const { rows } = await client.query<{ address: string }>(
    'SELECT address FROM mail.mailboxes WHERE tenant_id = $1 AND id = $2',
    [tenantId, mailbox],
  );
  return `mail/${fileName(rows[0]?.address ?? '', mailbox)}.mbox`;
}

async function* entriesOf(files: ImportFiles, path: string): AsyncGenerator<Buffer | undefined> {
  const splitter = new MboxSplitter(entryBytesMax);
  for await (const chunk of files.bytes(path))
    for (const { bytes } of splitter.push(chunk)) yield bytes ?? undefined;
  for (const { bytes } of splitter.end()) yield bytes ?? undefined;
}

async function keep(
  client: Client,
  tenantId: string,
  { message, trace, bytes }: Original,
  entry: Buffer | undefined,
): Promise<void> {
  const raw = entry?.subarray(trace.length, trace.length + bytes);
  if (raw?.length !== bytes || entry?.toString('latin1', 0, trace.length) !== trace)
    throw new SetupError(`The mbox file of ${message} has not the messages that were exported.`);
  await client.query(
    'INSERT INTO mail.raw_messages (tenant_id, message, trace, raw) VALUES ($1, $2, $3, $4)',
    [tenantId, message, trace, raw],
  );
}

/** Makes the messages of a workspace searchable: that is derived, and not in an export. */
export async function indexMessages(client: Client, tenantId: string): Promise<void> {
  const tenant = client.escapeLiteral(tenantId);
  await client.query('SET LOCAL search_path = mail, public');
  await client.query(
    `DECLARE found NO SCROLL CURSOR FOR SELECT m.mailbox_id AS "mailboxId", json_build_object(
       'id', m.id, 'threadId', m.conversation_id, 'receivedAt', m.received_at, 'subject', m.subject,
       'from', m.sender, 'to', m.recipients, 'cc', m.cc, 'replyTo', m.reply_to, 'text', m.text,
       'html', m.html, 'attachments',
       (SELECT coalesce(json_agg(json_build_object('inline', a.inline, 'filename', a.filename)), '[]')
        FROM attachments a WHERE a.tenant_id = m.tenant_id AND a.message = m.id),
       'comments', CASE WHEN c.last_message_id = m.id THEN
         (SELECT string_agg(k.text, ' ') FROM comments k
          WHERE k.tenant_id = m.tenant_id AND k.conversation_id = c.id) END) AS message
     FROM messages m JOIN conversations c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
     WHERE m.tenant_id = ${tenant}`,
  );
  const rows = async <R extends object>({ text }: Statement<R>, values: readonly unknown[]) =>
    (await client.query<R>(text, [tenantId, ...values])).rows;
  for (;;) {
    const page = await client.query<{ mailboxId: string; message: Indexed }>(
      `FETCH FORWARD ${pageRows} FROM found`,
    );
    if (page.rows.length === 0) return;
    for (const { mailboxId, message } of page.rows)
      await storeSearchDocuments({ rows }, mailboxId, [message]);
  }
}
