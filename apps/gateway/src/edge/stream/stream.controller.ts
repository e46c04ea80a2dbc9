import {
  Controller,
  Get,
  Inject,
  Injectable,
  Req,
  Res,
  UseGuards,
  type OnModuleDestroy,
} from '@nestjs/common';
import { InFlight } from '@postroom/concurrency';
import { mountPoints, Problem } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { logToken, type Resources } from '@postroom/operations';

import type { Log } from '@postroom/service';
import { limits } from '../../limits.js';
import { MemberStream, type StreamParts } from './member-stream.js';
import { eventStreamHeaders } from './paced-writes.js';
import { StreamReader, type ToldPresence } from '../../access/index.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionStrategy } from '../http/member-strategies.js';
import { Authenticated } from '../http/guards.js';
import { headerOf } from '../http/request-state.js';

/** The streams of a gateway: woken by a notification, ended before the gateway stops. */
@Injectable()
export class Streams implements OnModuleDestroy {
  private readonly open = new Set<MemberStream>();
  private readonly places = new Budget(limits.streams);
  private readonly running = new InFlight();

  constructor(
    private readonly reader: StreamReader,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** Resolves once it listens. */
  async watch(listener: Resources['listener']): Promise<void> {
    await listener.listen('stream', () => {
      for (const stream of this.open) stream.wake();
    });
    await listener.listen('presence', (payload) => {
      if (payload === '') return;
      const told = JSON.parse(payload) as ToldPresence;
      for (const stream of this.open) stream.present(told);
    });
  }

  /** @throws LimitReached when the member or the workspace has too many; else what gives the place back */
  enter({ memberId, tenantId }: StreamParts['caller']): () => void {
    return this.places.take({ workspace: tenantId, caller: memberId });
  }

  /** Serves a reader until either side ends it. */
  async serve(parts: Omit<StreamParts, 'reader'>): Promise<void> {
    const stream = new MemberStream({ ...parts, reader: this.reader });
    this.open.add(stream);
    try {
      await this.running.track(() => stream.serve());
    } catch (err) {
      // Its reader comes again, and says what it has seen last.
      this.log.warn({ err }, 'a member stream ended by an error');
    } finally {
      this.open.delete(stream);
    }
  }

  async onModuleDestroy(): Promise<void> {
    for (const stream of this.open) stream.end();
    await this.running.none();
  }
}

/** `GET /settings/api/stream` (`decisions.md` §9): server-sent events for a signed-in member. */
@Controller(mountPoints.member)
@UseGuards(Authenticated(SessionStrategy))
export class StreamController {
  constructor(
    private readonly streams: Streams,
    private readonly sessions: SessionStrategy,
  ) {}

  @Get('stream')
  async stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // A HEAD has no body to read events from, and would keep a place.
    if (request.method === 'HEAD')
      throw new Problem('METHOD_NOT_ALLOWED', { headers: { allow: 'GET' } });
    const caller = request.state.authorization?.caller;
    if (caller?.type !== 'member') throw new Problem('UNAUTHENTICATED');
    const leave = this.streams.enter(caller);
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, eventStreamHeaders(request.id));
    const lastEventId = headerOf(request, 'last-event-id') ?? null;
    await this.streams
      .serve({
        ...{ response, caller, lastEventId },
        session: async () => {
          const found = await this.sessions.validate(request).catch(refused);
          return found?.caller.type === 'member' ? found.caller : null;
        },
      })
      .finally(leave);
  }
}

/** The session has ended; an outage ends the stream too, and its reader comes again. */
const refused = (): null => null;
