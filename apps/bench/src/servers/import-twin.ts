import { hash } from 'node:crypto';
import { newId } from '@postroom/contracts';
import { Client } from 'pg';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { messageOf } from '../imports/messages.js';
import type { StoringOrder, StoringReport } from '../imports/run.js';
import { cpuMsSoFar, obey } from '../rig/obey.js';

let client: Client | undefined;
const [tenant, mailbox] = [newId('ten'), newId('mbx')];

/** Tables with the columns and indices of the product's; PostgreSQL makes the words that are searched. */
const tables = `
  CREATE SCHEMA hand;
  CREATE TABLE hand.conversations (LIKE mail.conversations INCLUDING ALL);
  CREATE TABLE hand.messages (LIKE mail.messages INCLUDING ALL);
  CREATE TABLE hand.attachments (LIKE mail.attachments INCLUDING ALL);
  CREATE TABLE hand.raw_messages (LIKE mail.raw_messages INCLUDING ALL);
  CREATE TABLE hand.thread_ids (LIKE mail.thread_ids INCLUDING ALL);
  CREATE TABLE hand.search_documents (LIKE mail.search_documents INCLUDING ALL);
  SET search_path = hand`;

const findThread = `SELECT conversation_id FROM thread_ids
  WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = ANY ($3) LIMIT 1`;
const addConversation = `INSERT INTO conversations (tenant_id, id, mailbox_id, subject, preview,
    message_count, participants, sender, last_message_id, last_message_at, created_at, updated_at,
    changed_at, has_attachments)
  VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, now(), now(), now(), $10)`;
const changeConversation = `UPDATE conversations SET preview = $3, message_count = message_count + 1,
    sender = $4, last_message_id = $5, last_message_at = $6, updated_at = now(), changed_at = now(),
    has_attachments = has_attachments OR $7, version = version + 1
  WHERE tenant_id = $1 AND id = $2`;
const addMessage = `INSERT INTO messages (tenant_id, id, mailbox_id, conversation_id, direction, sender,
    recipients, cc, bcc, reply_to, subject, preview, text, html, has_remote_content, sent_at,
    received_at, message_id, in_reply_to, reference_ids, is_auto_reply, bounce, auth, size_bytes,
    content_fingerprint, parsed, kept_by)
  VALUES ($1, $2, $3, $4, 'inbound', $5, $6, $7, '[]', $8, $9, $10, $11, $12, false, $13, $13, $14,
    $15, $16, false, false, '{}', $17, $18, true, 1)`;
const addFile = `INSERT INTO attachments (tenant_id, id, conversation_id, message, position, filename,
    mime_type, size_bytes, inline)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false)`;
const addRaw = `INSERT INTO raw_messages (tenant_id, message, trace, raw) VALUES ($1, $2, '', $3)`;
const addThreadId = 'INSERT INTO thread_ids VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
const addDocument = `INSERT INTO search_documents VALUES ($1, $2, $3, $4, $5,
    to_tsvector('simple', $6))`;

async function query<R extends object>(text: string, values: unknown[]): Promise<R[]> {
  const name = hash('sha256', text).slice(0, 20);
  return (await client?.query<R>({ name, text, values }))?.rows ?? [];
}

const json = (...given: readonly (Address | readonly Address[] | undefined)[]): string =>
  JSON.stringify(
    given.flatMap((one) => one ?? []).map(({ name, address }) => ({ name, email: address })),
  );

/** Messages of a transaction: as many as a step of the product has. */
const perCommit = 12;

async function storeAll(first: number, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const raw = messageOf('twin', first + n);
    const email = await PostalMime.parse(raw);
    if (n % perCommit === 0) await client?.query('BEGIN');
    await storeParsed(email, raw);
    if (n % perCommit === perCommit - 1 || n === count - 1) await client?.query('COMMIT');
  }
}

async function storeParsed(email: Email, raw: Buffer): Promise<void> {
  const { subject, text = '', html, messageId, inReplyTo, attachments } = email;
  const references = email.references?.split(' ') ?? [];
  const [id, at] = [newId('msg'), email.date];
  const preview = text.slice(0, 200);
  const sender = json(email.from).slice(1, -1);
  const hasFiles = attachments.length > 0;
  const [found] = await query<{ conversation_id: string }>(findThread, [
    tenant,
    mailbox,
    references,
  ]);
  const thread = found?.conversation_id ?? newId('cnv');
  if (found) {
    await query(changeConversation, [tenant, thread, preview, sender, id, at, hasFiles]);
  } else {
    const people = json(email.from, email.to);
    const row = [tenant, thread, mailbox, subject, preview, people, sender, id, at, hasFiles];
    await query(addConversation, row);
  }
  await query(addThreadId, [tenant, mailbox, messageId, thread]);
  const [to, cc, replyTo] = [email.to, email.cc, email.replyTo].map((list) => json(list));
  await query(addMessage, [
    ...[tenant, id, mailbox, thread, sender, to, cc, replyTo, subject, preview, text, html, at],
    ...[messageId, inReplyTo, references, raw.length, hash('sha256', raw)],
  ]);
  for (const [position, file] of attachments.entries()) {
    const { filename, mimeType, content } = file;
    const size = typeof content === 'string' ? content.length : content.byteLength;
    await query(addFile, [tenant, newId('att'), thread, id, position, filename, mimeType, size]);
  }
  await query(addRaw, [tenant, id, raw]);
  await query(addDocument, [tenant, id, mailbox, thread, at, `${subject} ${sender} ${text}`]);
}

obey(
  async (order: StoringOrder): Promise<StoringReport> => {
    if ('start' in order) {
      client = new Client({ connectionString: order.start.adminUrl });
      await client.connect();
      await client.query(tables);
      return {};
    }
    const [began, cpuBefore] = [performance.now(), cpuMsSoFar()];
    await storeAll(order.first, order.count);
    return { ms: performance.now() - began, cpuMs: cpuMsSoFar() - cpuBefore };
  },
  () => client?.end(),
);
