import { Pool } from 'pg';
import { closeWhenSilent } from './socket-timeout.js';

/** A connection that is not there after that, or a statement that takes longer, fails. */
const connectionTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;

export interface ServicePoolOptions {
  /** As a service's role. */
  readonly url: string;
  readonly schema: string;
  /** Connections at most. */
  readonly max: number;
  /** Told of a connection that is lost while nobody uses it: unheard, it would end the process. */
  readonly onTrouble: (error: unknown) => void;
}

/** A few connections of their own, opened when they are needed, for bytes that go past the ORM. */
export function servicePool({ url, schema, max, onTrouble }: ServicePoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    options: `-c search_path=${schema},public`,
  });
  pool.on('connect', closeWhenSilent(statementTimeoutMs));
  pool.on('error', onTrouble);
  return pool;
}
