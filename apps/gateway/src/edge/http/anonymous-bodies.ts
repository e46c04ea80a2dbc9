import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Budget, networkOwners } from '@postroom/limits';
import type { FastifyRequest } from 'fastify';
import { limits } from '../../limits.js';

/** A sign-in is some hundred bytes: a slower client would hold a place for long. */
const timeLimitMs = 5_000;

/** Bounds the bodies of unauthenticated requests: how many are read at a time, and for how long. */
@Injectable()
export class AnonymousBodies {
  private readonly reading = new Budget(limits.anonymousBodies);

  /**
   * Reads a body as `read` does, if there is a place for it.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many are read, or this one comes too slowly
   */
  async readBounded<T>({ ip, raw }: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const leave = this.enter(ip);
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // The reader of the rest of the body ends with an error that is not awaited any more.
        raw.pause();
        reject(refusal());
      }, timeLimitMs);
    });
    const reading = read();
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, tooSlow]);
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  private enter(ip: string): () => void {
    try {
      return this.reading.take(networkOwners(ip));
    } catch (cause) {
      throw refusal(cause);
    }
  }
}

/** On a connection that is kept, the next request would wait for the rest of the body. */
const refusal = (cause?: unknown): Problem =>
  new Problem('SERVICE_UNAVAILABLE', { cause, headers: { connection: 'close' } });
