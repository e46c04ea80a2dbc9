import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '../authentication/index.js';

/** A sign-in is some hundred bytes: who needs longer for it holds a place that others want. */
const timeLimitMs = 5_000;
/** Bodies of strangers that are read at a time. */
const atOnceMax = 256;
/** Of one network, so that no single one takes all places. */
const ofNetworkMax = 16;

/** Bounds what may be read of those of whom nothing is known: how many bodies at a time, and how long. */
@Injectable()
export class AnonymousBodies {
  private readonly byNetwork = new Map<string, number>();
  private count = 0;

  /**
   * Reads a body as `read` does, if there is a place for it.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many are read, or this one comes too slowly
   */
  async run<T>({ ip, raw }: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const network = clientNetwork(ip);
    const ofNetwork = this.byNetwork.get(network) ?? 0;
    if (this.count >= atOnceMax || ofNetwork >= ofNetworkMax) throw refusal();
    this.count += 1;
    this.byNetwork.set(network, ofNetwork + 1);
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // What waits for the rest of the body ends with an error that nobody awaits any more.
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
      this.leave(network);
    }
  }

  private leave(network: string): void {
    this.count -= 1;
    const left = (this.byNetwork.get(network) ?? 1) - 1;
    if (left === 0) this.byNetwork.delete(network);
    else this.byNetwork.set(network, left);
  }
}

/** On a connection that is kept, the next request would wait for the rest of the body. */
const refusal = (): Problem =>
  new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } });
