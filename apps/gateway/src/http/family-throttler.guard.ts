import type { ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { SlidingWindow } from '@postroom/access';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';

/** A limit has a counter of its own: sending, and everything else (`decisions.md` §2). */
const isSend = (context: ExecutionContext): boolean =>
  context.switchToHttp().getRequest<FastifyRequest>().edge.operation?.effect === 'send';

/** The one limiter there is. Its ceiling follows the family of the route. */
interface FamilyThrottler {
  readonly ttl: number;
  readonly limit: (context: ExecutionContext) => number;
}

export const throttlerOptions = (config: GatewayConfig): ThrottlerModuleOptions => ({
  throttlers: [
    {
      ttl: 60_000,
      limit: (context) =>
        isSend(context) ? config.sendRateLimitPerMinute : config.rateLimitPerMinute,
    } satisfies FamilyThrottler,
  ],
  storage: new SlidingWindowStorage(),
});

/** The throttler's storage over an exact sliding window, on a clock that never goes back. */
export class SlidingWindowStorage implements ThrottlerStorage {
  private readonly window = new SlidingWindow();

  increment(key: string, ttlMs: number, limit: number) {
    const { allowed, remaining, resetSeconds } = this.window.take(
      key,
      limit,
      ttlMs,
      performance.now(),
    );
    return Promise.resolve({
      totalHits: limit - remaining,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    });
  }
}

const askerOf = (request: Record<string, unknown>): string => {
  const { authorization } = (request as unknown as FastifyRequest).edge;
  const caller = authorization?.caller;
  return caller?.type === 'key' ? caller.keyId : 'nobody';
};

const windowOf = (context: ExecutionContext, asker: string): string =>
  `${asker} ${isSend(context) ? 'send' : 'default'}`;

/** Step 3 of `decisions.md` §2: the requests of a key in the last minute, per family. */
@Injectable()
export class FamilyThrottlerGuard extends ThrottlerGuard {
  /**
   * The library asks every route and its controller, at each request, for limits of their own: twelve
   * look-ups of metadata and nine promises for what no route of ours has.
   */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const [throttler] = this.throttlers as unknown as [FamilyThrottler];
    return this.handleRequest({
      context,
      limit: throttler.limit(context),
      ttl: throttler.ttl,
      blockDuration: throttler.ttl,
      throttler,
      getTracker: askerOf,
      generateKey: windowOf,
    });
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    void reply.headers({
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': 0,
      'X-RateLimit-Reset': timeToBlockExpire,
    });
    return Promise.reject(new Problem('RATE_LIMITED'));
  }
}
