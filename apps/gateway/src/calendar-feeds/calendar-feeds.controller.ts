import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { feedSteps, Problem, type FeedPart } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceCalls } from '../calls/index.js';
import { LargeAnswers, sendLines, type Place } from '../http/index.js';
import { feedAddressOf, feedsPath } from './feed-address.js';
import { FeedLookups } from './feed-lookups.js';
import { FeedOwners } from './feed-owners.js';

/** `GET /feeds/<secret>.ics` (`decisions.md` §9): a calendar for whoever has its address, without a key. */
@Controller(feedsPath)
export class CalendarFeedsController {
  constructor(
    private readonly calls: ServiceCalls,
    private readonly owners: FeedOwners,
    private readonly lookups: FeedLookups,
    private readonly largeAnswers: LargeAnswers,
  ) {}

  @Get(':name')
  async read(
    @Param('name') name: string,
    @Req() { id: requestId, ip }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const address = feedAddressOf(name);
    if (!address) throw new Problem('ROUTE_NOT_FOUND');
    const { tenantId, secret } = address;
    const caller = readerOf(tenantId);
    const part = async (after: Place): Promise<ReplyEnvelope> => {
      const input = { secret, after };
      const read = await this.calls.make({ operation: feedSteps.read, caller, input, requestId });
      await this.requireOwner(tenantId, read);
      return read;
    };
    this.largeAnswers.requireRoom(caller);
    const first = await this.lookups.run(ip, () => part(''));
    this.largeAnswers.countStreamed(reply, caller);
    reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    await sendLines(reply, first, part);
  }

  /** A member's own calendar is shown while the member is active. @throws Problem CALENDAR_NOT_FOUND */
  private async requireOwner(tenantId: string, { body }: ReplyEnvelope): Promise<void> {
    const { ownerId } = JSON.parse(body.toString()) as FeedPart;
    if (ownerId !== null && !(await this.owners.isActive(tenantId, ownerId)))
      throw new Problem('CALENDAR_NOT_FOUND');
  }
}

/**
 * Who reads a feed is nobody's member: the operation looks at the secret alone. All who read feeds of a
 * workspace have one share of the answers in flight.
 */
const readerOf = (tenantId: string): MemberCaller => ({
  ...{
    type: 'member',
    tenantId,
    source: 'app',
    memberId: `feeds of ${tenantId}`,
    email: '',
    name: '',
  },
  ...{ role: 'member', canApprove: false, sessionId: null },
});
