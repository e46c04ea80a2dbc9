import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { mountPoints, Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionStrategy } from '../authentication/index.js';
import { Authenticated, headerOf } from '../http/index.js';
import { Streams } from './streams.js';

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
    const caller = request.state.authorization?.caller;
    if (caller?.type !== 'member') throw new Problem('UNAUTHENTICATED');
    this.streams.requireCapacity(caller);
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': request.id,
      // Proxies that buffer answers would hold it back.
      'x-accel-buffering': 'no',
    });
    const lastEventId = headerOf(request, 'last-event-id') ?? null;
    await this.streams.serve({
      ...{ response, caller, lastEventId },
      session: async () => {
        const found = await this.sessions.validate(request).catch(refused);
        return found?.caller.type === 'member' ? found.caller : null;
      },
    });
  }
}

/** The session has ended; an outage ends the stream too, and its reader comes again. */
const refused = (): null => null;
