import { Controller, Get, Injectable, Param, Req, Res } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { feedSteps, Problem, type FeedPart } from '@postroom/contracts';
import { Budget, networkOwners, SlidingWindow } from '@postroom/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { feedAddressOf, FeedOwners, feedsPath, ServiceCalls } from '../../access/index.js';
import { limits, rates } from '../../limits.js';
import { sendLines, type Continuation } from './continued-answers.js';
import { LargeAnswers } from './large-answers.js';

const waitMaxMs = 5_000;

/** Bounds anonymous look-ups: networks share the slots fairly, and one that guesses addresses is refused. */
@Injectable()
export class FeedLookups {
  private readonly queue = new Budget(limits.feedLookups);
  private readonly misses = new SlidingWindow(rates.feedMisses);

  /**
   * Looks up a feed as `find` does, which throws CALENDAR_NOT_FOUND when there is none.
   *
   * @throws Problem ROUTE_NOT_FOUND when there is none, RATE_LIMITED after too many such
   * @throws LimitReached when too many wait
   */
  async lookUp<T>(clientAddress: string, find: () => Promise<T>): Promise<T> {
    const owners = networkOwners(clientAddress);
    const { network } = owners;
    const seconds = this.misses.waitSeconds(network);
    if (seconds > 0)
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(seconds) } });
    try {
      return await this.queue.runInTurn(owners, find, { waitMaxMs });
    } catch (cause) {
      if (!(cause instanceof Problem && cause.code === 'CALENDAR_NOT_FOUND')) throw cause;
      this.misses.record(network, 1);
      // It is answered like every other unknown address.
      throw new Problem('ROUTE_NOT_FOUND');
    }
  }
}

/** `GET /feeds/<secret>.ics` (`decisions.md` §9): a calendar by its secret address, without a key. */
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
    const part = async (after: Continuation): Promise<ReplyEnvelope> => {
      const input = { secret, after };
      const read = await this.calls.make({ operation: feedSteps.read, caller, input, requestId });
      await this.requireOwner(tenantId, read);
      return read;
    };
    this.largeAnswers.requireRoom(caller);
    const first = await this.lookups.lookUp(ip, () => part(''));
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
 * The reader of a feed is no member: the operation looks at the secret alone. All readers of the feeds of a
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
