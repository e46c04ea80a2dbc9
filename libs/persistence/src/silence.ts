import { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** How much later than its statement's time an answer may be before its connection counts as dead. */
const answerGraceMs = 5_000;

/**
 * Ends a connection of the pool on which nothing has moved for longer than a statement may take: a
 * host that vanished sends no end, and what waits on it would wait for ever. One watch a socket, as
 * the driver's own `query_timeout` arms a timer for each query, and those timers cost a list of 25
 * conversations half as much again in garbage.
 */
export const givenUpWhenSilent =
  (statementTimeoutMs: number) =>
  ({ connection: { stream } }: PoolClient): void => {
    if (!(stream instanceof Socket)) return;
    const silentMs = statementTimeoutMs + answerGraceMs;
    stream.setTimeout(silentMs, () => {
      stream.destroy(new Error(`PostgreSQL has been silent for ${silentMs} ms`));
    });
  };
