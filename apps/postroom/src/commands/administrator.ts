import type { Client } from 'pg';
import { StartError } from '../start-error.js';

/** @throws StartError when row-level security binds the user: it would see no rows, and remove none */
export async function requireUnbound(client: Client): Promise<void> {
  const { rows } = await client.query<{ unbound: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.unbound !== true) {
    throw new StartError(
      'The user of DATABASE_URL sees no rows of workspaces: it has to be a superuser or BYPASSRLS.',
    );
  }
}
