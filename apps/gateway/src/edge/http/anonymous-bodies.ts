import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Budget, LimitReached, networkOwners } from '@postroom/limits';
import type { FastifyRequest } from 'fastify';
import { limits } from '../../limits.js';

/** A sign-in is some hundred bytes: a slower client would hold a place for long. */
const timeLimitMs = 5_000;

/** Bounds the bodies of unauthenticated requests: how many are read at a time, and for how long. */
@Injectable()
export class AnonymousBodies {
  private readonly reading = new Budget(limits.anonymousBodies);

  /**
   * Reads a body as `read` does, in its turn: many who share an address may sign in at the same moment.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many wait, or this one has not come in time
   */
  async readBounded<T>({ ip, raw }: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const endMs = performance.now() + timeLimitMs;
    const inTime = () => before(endMs, raw, read);
    try {
      return await this.reading.runInTurn(networkOwners(ip), inTime, { waitMaxMs: timeLimitMs });
    } catch (error) {
      throw error instanceof LimitReached ? refusal(error) : error;
    }
  }
}

async function before<T>(
  endMs: number,
  raw: FastifyRequest['raw'],
  read: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // The reader of the rest of the body ends with an error that is not awaited any more.
      raw.pause();
      reject(refusal());
    }, endMs - performance.now());
  });
  const reading = read();
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    clearTimeout(timer);
  }
}

/** On a connection that is kept, the next request would wait for the rest of the body. */
const refusal = (cause?: unknown): Problem =>
  new Problem('SERVICE_UNAVAILABLE', { cause, headers: { connection: 'close' } });
