import { Injectable, type ExecutionContext } from '@nestjs/common';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import type { SharedWindow } from '../limits/index.js';

type LimitClass = 'send' | 'default' | 'member';

/** Classes of requests with a limit each: a key's sends and its other requests (`decisions.md` §2), a member's (§11). */
function limitClassOf(context: ExecutionContext): LimitClass {
  const { state } = context.switchToHttp().getRequest<FastifyRequest>();
  if (state.authorization?.caller.type === 'member') return 'member';
  return state.operation?.effect === 'send' ? 'send' : 'default';
}

export function throttlerOptions(
  config: GatewayConfig,
  window: SharedWindow,
): ThrottlerModuleOptions {
  const limits: Readonly<Record<LimitClass, number>> = {
    send: config.sendRateLimitPerMinute,
    default: config.rateLimitPerMinute,
    member: config.memberRateLimitPerMinute,
  };
  return {
    throttlers: [{ ttl: 60_000, limit: (context) => limits[limitClassOf(context)] }],
    storage: new SharedStorage(window),
  };
}

/** The storage of the throttler: an exact sliding window on a monotonic clock. */
class SharedStorage implements ThrottlerStorage {
  constructor(private readonly window: SharedWindow) {}

  increment(key: string, ttlMs: number, limit: number) {
    const { allowed, remaining, resetSeconds } = this.window.take(key, limit, ttlMs);
    return Promise.resolve({
      totalHits: limit - remaining,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    });
  }
}

/**
 * Step 3 of `decisions.md` §2: the requests of a key or member in the last minute, by limit family, those at other
 * gateways as far as they are known.
 */
@Injectable()
export class ApiThrottlerGuard extends ThrottlerGuard {
  protected override getTracker(request: Record<string, unknown>): Promise<string> {
    const { authorization } = (request as unknown as FastifyRequest).state;
    const caller = authorization?.caller;
    if (caller?.type === 'key') return Promise.resolve(caller.keyId);
    return Promise.resolve(caller?.type === 'member' ? caller.memberId : 'nobody');
  }

  protected override generateKey(context: ExecutionContext, caller: string): string {
    return `${caller} ${limitClassOf(context)}`;
  }

  /** A 429 carries the same headers as every other answer; the library sets Retry-After. */
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
