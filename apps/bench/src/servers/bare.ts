import { hash, timingSafeEqual } from 'node:crypto';
import { freePort } from '@postroom/local';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pg from 'pg';

/** Size of the twin's two pools: the fastest; with 12, as the mail service has, it does 0.95 of it. */
const poolSize = 8;

/** A pool set up as the product's are, without TypeORM. */
export const poolOf = (url: string, schema: string): pg.Pool =>
  new pg.Pool({
    connectionString: url,
    max: poolSize,
    pipeline: true,
    statement_timeout: 10_000,
    options: `-c search_path=${schema},public`,
  });

/** A time as the API writes it. */
export const instant = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The columns of a key that a hand-written server reads. */
interface KeyRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly member_email: string | null;
  readonly grants: Readonly<Record<string, string>>;
  readonly secret_hash: string;
  readonly alive: boolean;
}

/** Looks up the key of a request in one round trip and compares the secret as the product does. */
export async function authenticate(
  access: pg.Pool,
  { headers }: FastifyRequest,
): Promise<KeyRow | null> {
  const [, , id, secret] = String(headers['x-api-key']).split('_');
  const { rows } = await access.query<KeyRow>({
    name: 'find_key',
    text: 'SELECT * FROM find_key($1)',
    values: [`key_${id}`],
  });
  const [row] = rows;
  if (!row || secret === undefined) return null;
  const presented = Buffer.from(hash('sha256', secret), 'hex');
  const genuine = timingSafeEqual(presented, Buffer.from(row.secret_hash, 'hex'));
  return genuine && row.alive ? row : null;
}

/** Listens on a free port and returns it. */
export async function listen(fastify: FastifyInstance): Promise<number> {
  const port = await freePort();
  await fastify.listen({ host: '127.0.0.1', port });
  return port;
}
