import { Injectable } from '@nestjs/common';
import { Shares } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '../../access/index.js';

/** A sign-in is some hundred bytes: a slower client would hold a place for long. */
const timeLimitMs = 5_000;
/** Bodies of strangers that are read at a time. */
const atOnceMax = 256;
/** The share of one network, and of the site that an IPv6 network is part of (/48). */
const ofNetworkMax = 16;
const ofSiteMax = 64;

/** Bounds the bodies of unauthenticated requests: how many are read at a time, and for how long. */
@Injectable()
export class AnonymousBodies {
  private readonly reading = new Shares();

  /**
   * Reads a body as `read` does, if there is a place for it.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many are read, or this one comes too slowly
   */
  async readBounded<T>({ ip, raw }: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const network = clientNetwork(ip);
    const site = `site ${network.split(':', 3).join(':')}`;
    const isFull =
      this.reading.all >= atOnceMax ||
      this.reading.of(network) >= ofNetworkMax ||
      this.reading.of(site) >= ofSiteMax;
    if (isFull) throw refusal();
    const leave = this.reading.take([network, site]);
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
}

/** On a connection that is kept, the next request would wait for the rest of the body. */
const refusal = (): Problem =>
  new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } });
