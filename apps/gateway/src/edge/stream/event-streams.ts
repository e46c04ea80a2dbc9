import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { InFlight } from '@postroom/concurrency';
import { continuationHeader } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import type { FastifyReply } from 'fastify';
import { limits } from '../../limits.js';
import { eventStreamHeaders, writePaced } from './paced-writes.js';

/** Between parts, which no rate limit counts. */
const pauseMs = 1_000;
/** The life of an access token: a longer stream would outlive its token. */
const longestMs = 10 * 60_000;

/** Asks for the part that follows a cursor. */
type NextPart = (lastEventId: string) => Promise<ReplyEnvelope>;

function continuationOf({ headers }: ReplyEnvelope): string | undefined {
  const { [continuationHeader]: after } = headers;
  return typeof after === 'string' ? after : undefined;
}

/** True for the first part of a stream. */
export const isStreamed = (answer: ReplyEnvelope): boolean => continuationOf(answer) !== undefined;

/** Streams of events that agents have open: the service answers them part by part, each with where the next begins. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly places = new Budget(limits.eventStreams);
  private readonly running = new InFlight();
  private readonly ending = new AbortController();

  /**
   * Serves a stream until either side ends it; a failure breaks it off, and its reader comes again with its cursor.
   * @throws LimitReached before anything is sent
   */
  async serve(
    reply: FastifyReply,
    first: ReplyEnvelope,
    { caller, next }: { caller: Caller; next: NextPart },
  ): Promise<void> {
    const owner = caller.type === 'key' ? caller.keyId : caller.memberId;
    const leave = this.places.take({ workspace: caller.tenantId, caller: owner });
    try {
      await this.running.track(() => this.write(reply, first, next));
    } finally {
      leave();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.ending.abort();
    await this.running.none();
  }

  private async write(reply: FastifyReply, first: ReplyEnvelope, next: NextPart): Promise<void> {
    const { raw: response, request } = reply.hijack();
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const over = AbortSignal.timeout(longestMs);
    const signal = AbortSignal.any([closed.signal, this.ending.signal, over]);
    const ended = once(signal, 'abort').then(() => null);
    const headers = { ...reply.getHeaders(), ...eventStreamHeaders(request.id) };
    response.writeHead(200, headers as OutgoingHttpHeaders);
    for (let part: ReplyEnvelope | null = first; part !== null;) {
      await writePaced(response, part.body.toString(), signal);
      const after = continuationOf(part);
      if (after === undefined || signal.aborted) break;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      part = await Promise.race([next(after).catch(() => null), ended]);
    }
    if (!response.destroyed) response.end();
  }
}
