import { Injectable, type ExecutionContext } from '@nestjs/common';
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

/** Two limit families with a counter each: sends, and everything else (`decisions.md` §2). */
const isSend = (context: ExecutionContext): boolean =>
  context.switchToHttp().getRequest<FastifyRequest>().edge.operation?.effect === 'send';

export const throttlerOptions = (config: GatewayConfig): ThrottlerModuleOptions => ({
  throttlers: [
    {
      ttl: 60_000,
      limit: (context) =>
        isSend(context) ? config.sendRateLimitPerMinute : config.rateLimitPerMinute,
    },
  ],
  storage: new SlidingWindowStorage(),
});

/** The storage of the throttler: an exact sliding window on a monotonic clock. */
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

/** Step 3 of `decisions.md` §2: the requests of a key in the last minute, for each limit family. */
@Injectable()
export class FamilyThrottlerGuard extends ThrottlerGuard {
  protected override getTracker(request: Record<string, unknown>): Promise<string> {
    const { authorization } = (request as unknown as FastifyRequest).edge;
    const caller = authorization?.caller;
    return Promise.resolve(caller?.type === 'key' ? caller.keyId : 'nobody');
  }

  protected override generateKey(context: ExecutionContext, keyId: string): string {
    return `${keyId} ${isSend(context) ? 'send' : 'default'}`;
  }

  /** A 429 carries the same headers as every other answer to a key; the library sets Retry-After. */
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
