import { newApiKey, newSessionToken } from '@postroom/access';
import { newId } from '@postroom/contracts';
import { Client } from 'pg';
import type { SeededFacts } from '../rig/setup.js';

/** The credentials of the bench. */
export interface Agents {
  /** A key of an agent whose writes are done at once, and of one whose writes wait. */
  readonly direct: string;
  readonly waiting: string;
  /** The cookie of a signed-in administrator who may approve. */
  readonly cookie: string;
}

/** Adds two agents with the rights of the seeded key, and a session of its member. */
export async function seedAgents(adminUrl: string, facts: SeededFacts): Promise<Agents> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { tenantId, member } = facts.caller;
    const session = newSessionToken();
    await client.query(
      `INSERT INTO access.sessions (id, tenant_id, member_id, token_hash, created_at, seen_at)
       VALUES ($1, $2, $3, $4, now(), now())`,
      [newId('ses'), tenantId, member?.id, session.tokenHash],
    );
    return {
      direct: await seedAgent(client, facts, 'none'),
      waiting: await seedAgent(client, facts, 'required'),
      cookie: `postroom_session=${session.token}`,
    };
  } finally {
    await client.end();
  }
}

async function seedAgent(
  client: Client,
  { caller }: SeededFacts,
  approval: 'none' | 'required',
): Promise<string> {
  const id = newId('key');
  const { token, secretHash, hint } = newApiKey('agent', id.slice('key_'.length));
  await client.query(
    `INSERT INTO access.keys (id, tenant_id, name, kind, approval, scopes, grants, member_id, admin,
       secret_hash, hint, created_at)
     SELECT $1, tenant_id, 'agent', 'agent', $2, array_remove(scopes, 'mail:send'), grants, member_id,
       false, $3, $4, now() FROM access.keys WHERE id = $5`,
    [id, approval, secretHash, hint, caller.keyId],
  );
  return token;
}
