import { Injectable, type ExecutionContext } from '@nestjs/common';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { Problem } from '@postroom/contracts';
import { SlidingWindow, windowMs } from '@postroom/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestCounts } from '../../access/index.js';
import type { GatewayConfig } from '../../config.js';
import { rates } from '../../limits.js';

type Exchange = Pick<RequestCounts, 'exchange'>;

type LimitClass = 'send' | 'default' | 'member';

/** Classes of requests with a limit each: a key's sends and its other requests (`decisions.md` §2), a member's (§11). */
function limitClassOf(context: ExecutionContext): LimitClass {
  const { state } = context.switchToHttp().getRequest<FastifyRequest>();
  if (state.authorization?.caller.type === 'member') return 'member';
  return state.operation?.effect === 'send' ? 'send' : 'default';
}

export function throttlerOptions(config: GatewayConfig, counts: Exchange): ThrottlerModuleOptions {
  const limits: Readonly<Record<LimitClass, number>> = {
    send: config.sendRateLimitPerMinute,
    default: config.rateLimitPerMinute,
    member: config.memberRateLimitPerMinute,
  };
  return {
    throttlers: [{ ttl: windowMs, limit: (context) => limits[limitClassOf(context)] }],
    storage: new SharedWindow(counts, {
      send: new SlidingWindow(rates.sends, limits.send),
      default: new SlidingWindow(rates.requests, limits.default),
      member: new SlidingWindow(rates.memberRequests, limits.member),
    }),
  };
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

/** A gateway sends what it has counted at most so often. */
const exchangeEveryMs = 500;

/**
 * The storage of the throttler: an exact sliding window on a monotonic clock, with the requests that other
 * gateways have let through in it. Requests of the last half second are not known yet, and counts that are sent
 * while the database is away are lost: over several gateways a limit may be exceeded by as much.
 */
class SharedWindow implements ThrottlerStorage {
  private unsent = new Map<string, number>();
  private sentAtMs = -Infinity;
  private isScheduled = false;

  constructor(
    private readonly counts: Exchange,
    private readonly windows: Readonly<Record<LimitClass, SlidingWindow>>,
  ) {}

  increment(key: string, _ttlMs: number, limit: number) {
    const { allowed, remaining, resetSeconds } = this.windowOf(key).take(key);
    if (allowed) {
      this.unsent.set(key, (this.unsent.get(key) ?? 0) + 1);
      this.scheduleExchange();
    }
    return Promise.resolve({
      totalHits: limit - remaining,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    });
  }

  /** The window of the class that a key ends with. */
  private windowOf(key: string): SlidingWindow {
    return this.windows[key.slice(key.lastIndexOf(' ') + 1) as LimitClass];
  }

  private scheduleExchange(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const waitMs = Math.max(0, this.sentAtMs + exchangeEveryMs - performance.now());
    setTimeout(() => void this.exchange(), waitMs).unref();
  }

  private async exchange(): Promise<void> {
    this.sentAtMs = performance.now();
    const unsent = Object.fromEntries(this.unsent);
    this.unsent = new Map();
    const received = await this.counts.exchange(unsent).catch(() => []);
    const nowMs = performance.now();
    for (const { agoMs, counts } of received) {
      for (const [key, requests] of Object.entries(counts))
        this.windowOf(key).record(key, requests, nowMs - agoMs, nowMs);
    }
    this.isScheduled = false;
    if (this.unsent.size > 0) this.scheduleExchange();
  }
}
