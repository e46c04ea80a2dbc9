import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { codeOf, messageOf, SetupError } from '@postroom/service/setup-error';
import { lookupRole, serviceRole } from './service-schema.js';

const derive = promisify(pbkdf2);
const iterations = 4096;

/**
 * The verifier that PostgreSQL stores for a password (SCRAM-SHA-256, RFC 5803). Sent in its place, so that the
 * password is in no statement that a server might log.
 * @throws RangeError for a password that is not printable ASCII, which would need SASLprep
 */
async function scramVerifier(password: string): Promise<string> {
  if (!/^[\x20-\x7e]+$/.test(password)) {
    throw new RangeError('A database password has to consist of printable ASCII characters.');
  }
  const salt = randomBytes(16);
  const salted = await derive(password, salt, iterations, 32, 'sha256');
  const sign = (label: string): Buffer => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  const serverKey = sign('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/**
 * Brings a schema's two roles to what they have to be. Roles belong to the whole cluster: databases
 * of one cluster share them, and the password set last is the one that counts.
 * @throws SetupError when a role of that name has rights that would undo the isolation
 */
export async function ensureRoles(client: Client, schema: string, password: string): Promise<void> {
  const service = serviceRole(schema);
  const lookup = lookupRole(schema);
  await ensureRole(client, service, 'LOGIN');
  await ensureRole(client, lookup, 'NOLOGIN');
  const verifier = client.escapeLiteral(await scramVerifier(password));
  await clusterWide(() => client.query(`ALTER ROLE ${service} LOGIN PASSWORD ${verifier}`));
  await clusterWide(() =>
    client.query(`ALTER ROLE ${service} SET search_path = ${schema}, public`),
  );
  // One who is no superuser has to be a member of a role to hand a function over to it; from
  // PostgreSQL 16 on, having created the role is not enough.
  await clusterWide(() => client.query(joinUnlessSuperuser(lookup)));
}

async function ensureRole(client: Client, role: string, kind: 'LOGIN' | 'NOLOGIN'): Promise<void> {
  const { rows } = await client.query<{ excessive: boolean }>(
    `SELECT rolsuper OR rolbypassrls OR rolcreaterole AS excessive
     FROM pg_roles WHERE rolname = $1`,
    [role],
  );
  if (rows[0]?.excessive === true) {
    throw new SetupError(
      `The database role ${role} is a superuser, or may pass row-level security or create roles. ` +
        `Take that from it: ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS NOCREATEROLE;`,
    );
  }
  if (rows.length === 0) {
    await clusterWide(() => client.query(`CREATE ROLE ${role} ${kind}`), ['42710', '23505']);
  }
}

const joinUnlessSuperuser = (role: string): string => `
  DO $$ BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('GRANT ${role} TO %I', current_user);
    END IF;
  END $$`;

/**
 * Runs a statement on roles, again when another database of the cluster changed the same role in
 * that moment: advisory locks hold within one database only, and PostgreSQL refuses the second one.
 * @param settled codes that mean that the other one has done it
 */
async function clusterWide(
  statement: () => Promise<unknown>,
  settled: readonly string[] = [],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await statement();
      return;
    } catch (error) {
      if (settled.includes(codeOf(error) ?? '')) return;
      const collided = messageOf(error).includes('concurrently updated');
      const duplicate = codeOf(error) === '23505';
      if (!(collided || duplicate) || attempt === 50) throw error;
      await sleep(Math.random() * 20 * Math.min(attempt, 5));
    }
  }
}
