import { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** How much longer than a statement may run its answer may take before the connection counts as dead. */
const answerGraceMs = 5_000;

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
