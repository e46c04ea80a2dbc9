import { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { SignInPool, signInUrls } from './sign-in.js';

/** Time beyond a statement's timeout that its answer may take before the connection counts as dead. */
const answerGraceMs = 5_000;
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

/**
 * Closes a pooled connection on which nothing has moved for longer than a statement may take: a host
 * that vanished sends no end, and whatever waits for it would wait for ever. It is the socket's timeout
 * and not the driver's `query_timeout`, because that arms a timer for each query, which costs a list of
 * 25 conversations half as much again in garbage collection (goal A1).
 */
export const closeWhenSilent =
  (statementTimeoutMs: number) =>
  ({ connection: { stream } }: PoolClient): void => {
    if (!(stream instanceof Socket)) return;
    const silentMs = statementTimeoutMs + answerGraceMs;
    stream.setTimeout(silentMs, () => {
      stream.destroy(new Error(`PostgreSQL has been silent for ${silentMs} ms`));
    });
  };
