import { Client } from 'pg';
import { pool, pools } from './vocabulary.js';

/** Messages that bench D searches, four a conversation. */
export const messages = 1_000_000;
export const perConversation = 4;
const batch = 25_000;

/** Time and disk space that filling took. */
export interface Filled {
  readonly seconds: number;
  readonly indexSeconds: number;
  /** Bytes on the disk, by what they are for. */
  readonly bytes: Readonly<Record<'messages' | 'documents' | 'words', number>>;
}

/** The mailbox to fill. */
export interface FillPlace {
  readonly adminUrl: string;
  readonly tenantId: string;
  readonly mailbox: string;
}

/**
 * Fills a mailbox with messages, a million over three years, by SQL. Texts are made of sentences of a
 * vocabulary under Zipf's law, and search documents of those of the sentences. The index is built at
 * the end, as when a dump is restored.
 */
export async function fill(
  { adminUrl, tenantId, mailbox }: FillPlace,
  signal: AbortSignal,
  count = messages,
): Promise<Filled> {
  const began = performance.now();
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`SET search_path = mail, public; SET session_replication_role = replica;
      SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET jit = off;
      CREATE AGGREGATE pg_temp.joined(tsvector)
        (SFUNC = tsvector_concat, STYPE = tsvector, INITCOND = '')`);
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM mailboxes WHERE tenant_id = $1 AND address = $2',
      [tenantId, mailbox],
    );
    const place = [tenantId, rows[0]?.id];
    for (const name of pools) await fillPool(client, name);
    const index = await takeIndex(client);
    await client.query(insertConversations, [...place, count / perConversation]);
    for (let first = 0; first < count; first += batch) {
      signal.throwIfAborted();
      await client.query(insertMessages, [
        ...place,
        first,
        Math.min(first + batch, count) - 1,
        count,
      ]);
    }
    const indexBegan = performance.now();
    await client.query(index);
    const indexSeconds = (performance.now() - indexBegan) / 1000;
    await client.query('VACUUM (ANALYZE) conversations, messages, search_documents');
    const bytes = await sizes(client);
    return { seconds: (performance.now() - began) / 1000, indexSeconds, bytes };
  } finally {
    await client.end();
  }
}

async function fillPool(client: Client, name: (typeof pools)[number]): Promise<void> {
  const parts = pool(name);
  await client.query(
    `CREATE TEMP TABLE ${name} (rank integer PRIMARY KEY, text text, name text, document tsvector)`,
  );
  await client.query(
    `INSERT INTO ${name} SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::tsvector[])`,
    [
      parts.map((_, n) => n),
      parts.map(({ text }) => text),
      parts.map((part) => part.name),
      parts.map(({ document }) => document),
    ],
  );
  await client.query(`ANALYZE ${name}`);
}

/** Drops the index of words. @returns the statement that creates it again */
async function takeIndex(client: Client): Promise<string> {
  const { rows } = await client.query<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes
     WHERE schemaname = 'mail' AND indexname = 'search_documents_words'`,
  );
  await client.query('DROP INDEX search_documents_words');
  return rows[0]?.indexdef ?? '';
}

async function sizes(client: Client): Promise<Filled['bytes']> {
  const { rows } = await client.query<Record<keyof Filled['bytes'], string>>(
    `SELECT pg_total_relation_size('messages') AS messages,
       pg_table_size('search_documents') AS documents,
       pg_relation_size('search_documents_words') AS words`,
  );
  const [found] = rows;
  return {
    messages: Number(found?.messages),
    documents: Number(found?.documents),
    words: Number(found?.words),
  };
}

/** A deterministic number from 0 to `below - 1`. */
const draw = (of: string, salt: number, below: string): string =>
  `((hashint8extended(${of}::bigint, ${salt}) & 1073741823) % ${below})::integer`;

const conversationId = (n: string): string => `'cnv_02' || lpad((${n})::text, 24, '0')`;
const messageId = (n: string): string => `'msg_02' || lpad((${n})::text, 24, '0')`;

/** Every 95 seconds a message; the four of a conversation five hours apart (the newest wrap round). */
const arrived = (total: string): string =>
  `date_trunc('day', now()) - interval '95 seconds' *
    (${total} - (n + n % ${perConversation} * 200) % ${total})`;

const insertConversations = `
  INSERT INTO conversations (tenant_id, id, mailbox_id, subject, preview, status, placement,
    assignee, labels, unread, message_count, participants, sender, last_message_id,
    last_message_at, created_at, updated_at, changed_at, version)
  SELECT $1, ${conversationId('c')}, $2, 'Conversation ' || c, 'Bonjour, je reviens vers vous',
    (ARRAY['open', 'pending', 'closed', 'closed'])[1 + ${draw('c', 1, '4')}],
    (ARRAY['inbox', 'inbox', 'inbox', 'inbox', 'inbox', 'inbox', 'inbox', 'archived', 'archived',
      'archived', 'archived', 'trash'])[1 + ${draw('c', 2, '12')}],
    CASE WHEN ${draw('c', 3, '3')} = 0 THEN 'claire@bench.example' END,
    (ARRAY['facturation', 'livraison', 'urgent'])[1:${draw('c', 4, '4')}],
    ${draw('c', 5, '3')} = 0, ${perConversation}, '[]', NULL, ${messageId('n')},
    ${arrived(`$3::bigint * ${perConversation}`)}, now(), now(), now(), 1
  FROM generate_series(0, $3::bigint - 1) c
  CROSS JOIN LATERAL (SELECT c * ${perConversation} + ${perConversation - 1} AS n) last`;

/** A text of 2 to 20 sentences (median seven), some with the searched words. */
const insertMessages = `
  WITH made AS MATERIALIZED (
    SELECT n, ${arrived('$5::bigint')} AS at,
      ${conversationId(`n / ${perConversation}`)} AS conversation_id, ${messageId('n')} AS id,
      subject.text AS subject, subject.document AS subject_document,
      sender.text AS email, sender.name AS name, sender.document AS sender_document, body.*
    FROM generate_series($3::bigint, $4::bigint) n
    JOIN subjects subject ON subject.rank = ${draw('n', 11, '8000')}
    JOIN senders sender ON sender.rank = ${draw(`(n / ${perConversation})`, 12, '50000')}
    CROSS JOIN LATERAL (
      SELECT string_agg(part.text, ' ' ORDER BY part.place) AS text,
        pg_temp.joined(part.document ORDER BY part.place) AS document
      FROM (
        SELECT i AS place, s.text, s.document
        FROM generate_series(1, 2 + ${draw('n', 13, `(1 + ${draw('n', 14, '19')})`)}) i
        JOIN sentences s ON s.rank = ${draw('(n * 32 + i)', 15, '20000')}
        UNION ALL
        SELECT 100 + s.rank, s.text, s.document FROM sought s
        WHERE (hashint8extended(n, 100 + s.rank) & 1073741823) % 10000 < s.name::integer
      ) part
    ) body
  ), told AS (
    INSERT INTO messages (tenant_id, id, mailbox_id, conversation_id, direction, sender,
      recipients, cc, bcc, reply_to, subject, preview, text, has_remote_content, received_at,
      reference_ids, is_auto_reply, bounce, auth, size_bytes, parsed, kept_by)
    SELECT $1, id, $2, conversation_id, 'inbound',
      jsonb_build_object('email', email, 'name', name), '[]', '[]', '[]', '[]', subject,
      left(text, 200), text, false, at, '{}', false, false, '{}', length(text), true, 1
    FROM made ORDER BY at
  )
  INSERT INTO search_documents (tenant_id, message, mailbox_id, conversation_id, at, document)
  SELECT $1, id, $2, conversation_id, at, array_to_tsvector(ARRAY['m:' || $2,
      'd:' || $2 || ':' || floor(extract(epoch FROM at) / 86400)::integer,
      'p:' || $2 || ':' || floor(extract(epoch FROM at) / 86400 / 28)::integer])
    || subject_document || sender_document || document
  FROM made ORDER BY at`;
