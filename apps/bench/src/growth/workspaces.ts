import { Client } from 'pg';
import { perConversation, type FillPlace } from '../search/fill.js';

/** Conversations of each. */
const conversations = 20;

/** Rows of the filled mailbox that others get too; ids are unique in a workspace alone. */
const copied: Readonly<Record<string, string>> = {
  'mail.mailboxes': `source.id = $2`,
  'mail.conversations': `source.mailbox_id = $2 AND source.id IN (SELECT conversation_id FROM of_others)`,
  'mail.messages': `source.mailbox_id = $2 AND source.id IN (SELECT message FROM of_others)`,
  'mail.search_documents': `source.mailbox_id = $2 AND source.message IN (SELECT message FROM of_others)`,
};

/** The columns that a copied row has of its own. */
const own: Readonly<Record<string, string>> = {
  tenant_id: 'others.tenant_id',
  mailbox_id: 'others.mailbox_id',
  address: 'others.address',
  routing_address: 'others.address',
  // A search document names its mailbox.
  document: `array_to_tsvector(ARRAY(
    SELECT replace(word, $2, others.mailbox_id) FROM unnest(tsvector_to_array(source.document)) word))`,
};

/** Adds workspaces with a mailbox each, and in it some of the conversations of the one that is filled. */
export async function addWorkspaces(
  { adminUrl, tenantId, mailbox }: FillPlace,
  count: number,
): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`SET search_path = mail, public; SET session_replication_role = replica;
      SET synchronous_commit = off; SET jit = off;
      CREATE TEMP TABLE others AS SELECT 'ten_03' || lpad(n::text, 24, '0') AS tenant_id,
          'mbx_03' || lpad(n::text, 24, '0') AS mailbox_id, 'box-' || n || '@bench.example' AS address
        FROM generate_series(1, ${count}) n;
      CREATE TEMP TABLE of_others AS SELECT conversation_id, message FROM search_documents
        ORDER BY message LIMIT ${conversations * perConversation}`);
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM mailboxes WHERE tenant_id = $1 AND address = $2',
      [tenantId, mailbox],
    );
    await client.query(`INSERT INTO access.tenants (tenant_id, name, created_at)
      SELECT tenant_id, tenant_id, now() FROM others`);
    for (const [table, rule] of Object.entries(copied)) {
      const columns = await columnsOf(client, table);
      const values = columns.map((name) => valueOf(table, name));
      await client.query(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
         FROM ${table} source CROSS JOIN others WHERE source.tenant_id = $1 AND ${rule}`,
        [tenantId, rows[0]?.id],
      );
    }
    await client.query(`VACUUM (ANALYZE) access.tenants, ${Object.keys(copied).join(', ')}`);
  } finally {
    await client.end();
  }
}

const valueOf = (table: string, column: string): string =>
  table === 'mail.mailboxes' && column === 'id'
    ? 'others.mailbox_id'
    : (own[column] ?? `source.${column}`);

/** Those that PostgreSQL does not derive from the others. */
async function columnsOf(client: Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND attidentity = ''`,
    [table],
  );
  return rows.map(({ name }) => name);
}
