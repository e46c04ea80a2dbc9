import { newApiKey, type KeyCaller } from '@postroom/access';
import { newId } from '@postroom/contracts';
import { Client } from 'pg';
import type { SeededFacts } from './setup.js';

const conversations = 20_000;

const mailboxes = [
  { id: newId('mbx'), address: 'support@bench.example' },
  { id: newId('mbx'), address: 'sales@bench.example' },
] as const;

/** Fills the migrated schemas with one workspace of a realistic size, as the database's owner. */
export async function seed(adminUrl: string): Promise<SeededFacts> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { apiKey, caller } = await seedAccess(client);
    await seedMail(client, caller.tenantId);
    await client.query(analyse);
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM mail.conversations WHERE mailbox_id = $1 ORDER BY md5(id)',
      [mailboxes[0].id],
    );
    const conversationIds = rows.map(({ id }) => id);
    return { mailbox: mailboxes[0].address, apiKey, caller, conversationIds };
  } finally {
    await client.end();
  }
}

/**
 * Only tables with rows: a statement that is planned while a table is known to be empty keeps that
 * plan while the table grows.
 */
const analyse = `
  VACUUM (ANALYZE) access.tenants, access.members, access.keys, mail.mailboxes, mail.conversations`;

async function seedAccess(client: Client): Promise<{ apiKey: string; caller: KeyCaller }> {
  const tenantId = newId('ten');
  const member = { id: newId('mbr'), email: 'claire@bench.example' };
  const keyId = newId('key');
  const { token, secretHash, hint } = newApiKey('human', keyId.slice('key_'.length));
  const caller: KeyCaller = {
    type: 'key',
    tenantId,
    source: 'api',
    keyId,
    name: 'bench',
    kind: 'human',
    approval: null,
    scopes: ['read:conversations', 'write:conversations', 'drafts:write', 'mail:send'],
    grants: Object.fromEntries(mailboxes.map(({ address }) => [address, 'write'])),
    member,
    admin: false,
  };
  await client.query(
    `INSERT INTO access.tenants (tenant_id, name, created_at) VALUES ($1, 'bench', now())`,
    [tenantId],
  );
  await client.query(
    `INSERT INTO access.members (id, tenant_id, email, name, role, can_approve, created_at)
     VALUES ($1, $2, $3, 'Claire', 'admin', true, now())`,
    [member.id, tenantId, member.email],
  );
  const { name, kind, scopes, grants, admin } = caller;
  await client.query(
    `INSERT INTO access.keys (id, tenant_id, name, kind, scopes, grants, member_id, admin,
       secret_hash, hint, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())`,
    [keyId, tenantId, name, kind, scopes, grants, member.id, admin, secretHash, hint],
  );
  return { apiKey: token, caller };
}

async function seedMail(client: Client, tenantId: string): Promise<void> {
  // Triggers of its tables call functions of their schema.
  await client.query('SET search_path TO mail');
  await client.query(
    `INSERT INTO mail.domains (tenant_id, id, name, token, verified_at, created_at)
     VALUES ($1, $2, 'bench.example', '', now(), now())`,
    [tenantId, newId('dom')],
  );
  for (const { id, address } of mailboxes) {
    await client.query(
      `INSERT INTO mail.mailboxes (tenant_id, id, address, routing_address, name, automation,
         access, created_at, updated_at, version)
       VALUES ($1, $2, $3, $3, $3, true, '"workspace"', now(), now(), 1)`,
      [tenantId, id, address],
    );
  }
  const mailboxIds = mailboxes.map(({ id }) => id);
  await client.query(insertConversations, [tenantId, mailboxIds, conversations]);
}

/** In a random order, so that a page of the list is scattered over the table as in production. */
const insertConversations = `
  INSERT INTO mail.conversations (tenant_id, id, mailbox_id, subject, preview, status, placement,
    assignee, labels, unread, message_count, comment_count, has_attachments, participants, sender,
    last_message_id, last_message_at, waiting_since, created_at, updated_at, version)
  SELECT $1, 'cnv_01' || lpad(n::text, 24, '0'), ($2::text[])[1 + n % 2],
    (ARRAY['Facture', 'Livraison', 'Question', 'Réclamation', 'Commande'])[1 + n % 5] ||
      ' n° 2026-' || n || ' : ' || left(md5(n::text), 4 + n % 24),
    left(repeat('Bonjour, je reviens vers vous au sujet de la commande passée hier. ', 4),
      120 + n % 81),
    (ARRAY['open', 'open', 'pending', 'closed'])[1 + n % 4],
    (ARRAY['inbox', 'inbox', 'inbox', 'inbox', 'archived', 'archived', 'trash'])[1 + n % 7],
    CASE WHEN n % 3 = 0 THEN 'claire@bench.example' END,
    (ARRAY['facturation', 'livraison', 'urgent'])[1:n % 4],
    n % 3 = 0, 1 + n % 9, n % 3, n % 5 = 0,
    (SELECT jsonb_agg(jsonb_build_object('email', 'client' || n + i || '@example.com',
       'name', 'Camille Martin ' || n + i)) FROM generate_series(0, 1 + n % 3) i),
    jsonb_build_object('email', 'client' || n || '@example.com', 'name', 'Camille Martin ' || n),
    'msg_01' || lpad(n::text, 24, '0'), arrived,
    CASE WHEN n % 2 = 0 THEN arrived END, arrived - interval '1 day', arrived, n % 20
  FROM generate_series(1, $3::int) n
  CROSS JOIN LATERAL (SELECT now() - n * interval '97 seconds' AS arrived) AS times
  ORDER BY md5(n::text)`;
