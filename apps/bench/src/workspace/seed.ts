import { newApiKey, newSessionToken } from '@postroom/access';
import { newId, type KeyKind } from '@postroom/contracts';
import { Client } from 'pg';
import type { BenchDatabase } from '../rig/database.js';
import { askFor } from '../rig/load.js';
import { Connection } from '../rig/connection.js';

const contacts = 10_000;
const tasks = 10_000;
const series = 1_000;

/** The keys, the session and the containers of the workspace that is measured. */
export interface Workspace {
  readonly human: string;
  readonly agent: string;
  readonly session: string;
  readonly bookId: string;
  readonly calendarId: string;
}

const scopes = {
  human: ['read:contacts', 'read:tasks', 'read:calendar', 'write:calendar', 'write:conversations'],
  agent: ['read:conversations', 'write:conversations'],
};

/** Fills the bench's workspace, as the database's owner, with what K, P and W read and decide. */
export async function seedWorkspace({ adminUrl, setup }: BenchDatabase): Promise<Workspace> {
  const { caller } = setup.facts;
  const { tenantId, member, grants } = caller;
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  const addKey = async (kind: KeyKind): Promise<string> => {
    const id = newId('key');
    const { token, secretHash, hint } = newApiKey(kind, id.slice('key_'.length));
    const approval = kind === 'agent' ? 'required' : null;
    await client.query(
      `INSERT INTO access.keys (id, tenant_id, name, kind, approval, scopes, grants, member_id, admin,
         secret_hash, hint, created_at)
       VALUES ($1, $2, $3, $3, $4, $5, $6, $7, false, $8, $9, now())`,
      [id, tenantId, kind, approval, scopes[kind], grants, member?.id, secretHash, hint],
    );
    return token;
  };
  try {
    const { token: session, tokenHash } = newSessionToken();
    await client.query(
      `INSERT INTO access.sessions (id, tenant_id, member_id, token_hash, created_at, seen_at)
       VALUES ($1, $2, $3, $4, now(), now())`,
      [newId('ses'), tenantId, member?.id, tokenHash],
    );
    const [bookId, calendarId] = [newId('abk'), newId('cal')];
    await client.query('SET search_path TO directory');
    await client.query(
      `INSERT INTO address_books (tenant_id, id, name, is_shared, contact_count, salt, created_at,
         updated_at)
       VALUES ($1, $2, 'Clients', true, $3, 1, now(), now())`,
      [tenantId, bookId, contacts],
    );
    await client.query(insertContacts, [tenantId, bookId, contacts]);
    await client.query('SET search_path TO scheduling');
    await client.query(insertTasks, [tenantId, tasks]);
    await client.query(
      `INSERT INTO calendars (tenant_id, id, name, scope, owner_id, owner_email, created_at)
       VALUES ($1, $2, 'Équipe', 'shared', $3, $4, now())`,
      [tenantId, calendarId, member?.id, member?.email],
    );
    await client.query('VACUUM (ANALYZE) directory.contacts, scheduling.tasks');
    const [human, agent] = [await addKey('human'), await addKey('agent')];
    return { human, agent, session, bookId, calendarId };
  } finally {
    await client.end();
  }
}

const insertContacts = `
  INSERT INTO contacts (tenant_id, book_id, id, display_name, is_named, given_name, family_name, emails,
    phones, organization, job_title, groups, author, created_at, updated_at, dedupe_key, search_text,
    grams, group_keys, likeness)
  SELECT $1, $2, 'ctc_01' || lpad(n::text, 24, '0'), given || ' ' || family, false, given, family,
    json_build_array(json_build_object('value', 'client' || n || '@example.com', 'type', 'work')),
    json_build_array(json_build_object('value', '+33 1 40 ' || n, 'type', NULL)),
    CASE WHEN n % 3 = 0 THEN 'Société ' || n % 500 END, CASE WHEN n % 5 = 0 THEN 'Acheteuse' END,
    (ARRAY['clients', 'fournisseurs'])[1:n % 3], '{"type": "system", "name": "bench"}', now(), now(),
    sha256(n::text::bytea), lower(given || ' ' || family), ARRAY[n], '{}', '{}'
  FROM generate_series(1, $3::int) n
  CROSS JOIN LATERAL (SELECT (ARRAY['Camille', 'Élodie', 'Jean', 'Zoé'])[1 + n % 4] AS given,
    (ARRAY['Martin', 'Lefèvre', 'Durand'])[1 + n % 3] || ' ' || left(md5(n::text), 6) AS family) named
  ORDER BY md5(n::text)`;

const insertTasks = `
  INSERT INTO tasks (tenant_id, id, title, notes, status, priority, assignee, due_ms, time_zone, thread_id,
    reminders, source, created_by, created_at, updated_at, search_text)
  SELECT $1, 'tsk_01' || lpad(n::text, 24, '0'), 'Rappeler le client ' || n, left(repeat('À voir. ', 9), n % 70),
    (ARRAY['todo', 'in_progress', 'done'])[1 + n % 3], 'normal',
    CASE WHEN n % 2 = 0 THEN 'claire@bench.example' END, 1796000000000 + n, 'Europe/Paris', NULL,
    CASE WHEN n % 5 = 0 THEN '[{"minutes": 10}]' ELSE '[]' END::jsonb, 'manual',
    '{"type": "system", "name": "bench"}', now(), now(), 'rappeler le client ' || n
  FROM generate_series(1, $2::int) n`;

/** Rules as calendars have them. */
const rules = [
  ...['WEEKLY', 'WEEKLY', 'WEEKLY', 'WEEKLY;BYDAY=MO,WE,FR', 'WEEKLY;INTERVAL=2', 'YEARLY'],
  ...['WEEKLY;INTERVAL=2;BYDAY=TU,TH', 'MONTHLY', 'MONTHLY;BYDAY=1MO', 'MONTHLY;BYDAY=-1FR'],
];

const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** Creates the series as a client does, each with a start of its own within the last two years. */
export async function createSeries(
  port: number,
  { human, calendarId }: Workspace,
  nowMs: number,
): Promise<void> {
  const connection = await Connection.open(port);
  const firstMs = nowMs - (nowMs % dayMs) - 700 * dayMs;
  for (let n = 0; n < series; n += 1) {
    const startMs = firstMs + (n % 690) * dayMs + (8 + (n % 10)) * hourMs;
    const body = JSON.stringify({
      ...{
        calendarId,
        title: `Réunion ${n}`,
        location: 'Salle 2',
        startMs,
        endMs: startMs + hourMs,
      },
      ...{
        timeZone: 'Europe/Paris',
        recurrence: { rrule: `FREQ=${rules[n % rules.length] ?? ''}` },
      },
      ...(n % 5 === 0 && { reminders: [{ minutes: 10 }] }),
    });
    const request =
      `POST /public/v1/calendar-events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${human}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    await askFor(connection, request, 201);
  }
  connection.close();
}
