import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { mailboxConsents, mountPoints, Problem, type ConsentEnd } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceCalls } from '../../access/index.js';
import { Authenticated } from './guards.js';
import { SessionStrategy } from './member-strategies.js';

/** `GET /settings/api/oauth/callback`: a provider of mail leads the browser back; it ends in the console. */
@Controller(`${mountPoints.member}/oauth`)
@UseGuards(Authenticated(SessionStrategy))
export class MailboxConsentsController {
  constructor(private readonly calls: ServiceCalls) {}

  @Get('callback')
  async finishConsent(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const caller = request.state.authorization?.caller;
    if (caller?.type !== 'member') throw new Problem('UNAUTHENTICATED');
    if (caller.role !== 'admin') throw new Problem('ADMIN_REQUIRED');
    const query = request.url.split('?').slice(1).join('?').slice(0, queryMax);
    const operation = mailboxConsents.end;
    const answer = await this.calls.make({
      ...{ operation, caller, input: { query }, requestId: request.id },
    });
    const { outcome, mailboxId } = JSON.parse(answer.body.toString()) as ConsentEnd;
    const shown = new URLSearchParams({
      consent: outcome,
      ...(mailboxId && { mailbox: mailboxId }),
    });
    await reply.redirect(`/settings/mailboxes?${shown.toString()}`, 303);
  }
}

const queryMax = 8_000;
