import type { Pool } from 'pg';
import { SignInPool, signInUrls } from './sign-in/index.js';
import { closeWhenSilent } from './socket-timeout.js';

const connectionTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;

export interface ServicePoolOptions {
  /** Signs in as a service's role. */
  readonly url: string;
  readonly schema: string;
  /** Maximum number of connections. */
  readonly max: number;
  /** Called when an idle connection is lost; without a handler, that would end the process. */
  readonly onTrouble: (error: unknown) => void;
}

/** A small pool for the bytes of bodies and messages, which do not go through the ORM. */
export function servicePool({ url, schema, max, onTrouble }: ServicePoolOptions): Pool {
  const pool = new SignInPool({
    urls: signInUrls(url),
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
