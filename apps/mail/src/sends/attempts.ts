import { FairQueue, QueueRefused, type FairQueueOptions } from '@postroom/concurrency';
import { Problem, type SendReceipt } from '@postroom/contracts';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { logToken, UnitOfWork, type Sending } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { Transport } from '../outgoing/index.js';
import { Attempt, type AttemptResources } from './attempt.js';
import { Preparation, type ReservedSend } from './preparation.js';
import { failSend, leaseMs } from './reservations.js';
import { sizeOf } from './send-request.js';
import type { Refusal } from './verdict.js';

const renewEveryMs = leaseMs / 4;
/**
 * Callers that wait at a time, once a workspace's oldest has waited long: a slow mail server must not
 * keep other operations from being answered, while a burst of quick sends may. Workspaces that wait
 * share them, so that no one's slow server takes another's sends.
 */
const answersMax = 64;
/** Callers that a workspace may have waiting in any case. */
const ofTenantMin = 4;
const longMs = 5_000;
/** Bytes of all messages that are being sent; several copies of each are in memory. */
const bytesMax = 48 * 1024 * 1024;
/** Time for which attempts go on once the process stops. */
const drainMs = 10_000;

const overloaded: Refusal = { kind: 'unavailable', reason: 'too many sends are waiting' };

/** Runs attempts, each to its end, also when its caller no longer waits for it. */
@Injectable()
export class Attempts implements OnApplicationShutdown {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private readonly budget = new MemoryBudget(bytesMax);
  private readonly resources: AttemptResources;
  /** The waiting callers of each workspace, the oldest first. */
  private readonly waitedFor = new Map<string, Set<{ readonly sinceMs: number }>>();

  constructor(
    preparation: Preparation,
    private readonly transport: Transport,
    work: UnitOfWork,
    @Inject(logToken) log: Log,
  ) {
    this.resources = { preparation, transport, work, log, stopping: this.stopping.signal };
  }

  /** @throws Problem */
  async send(context: Sending, send: ReservedSend): Promise<SendReceipt> {
    const { tenantId } = context;
    if (this.isOverloaded(tenantId) || this.stopping.signal.aborted) {
      await failSend(context, send.reservation, overloaded);
      throw new Problem('OUTGOING_UNAVAILABLE');
    }
    const stopWaiting = this.wait(tenantId);
    const attempt = new Attempt(this.resources, context, send);
    const renewing = setInterval(() => void attempt.renew(), renewEveryMs);
    const working = this.start(attempt, tenantId, sizeOf(send.request)).finally(() => {
      clearInterval(renewing);
      this.underWay.delete(working);
    });
    this.underWay.add(working);
    try {
      return await attempt.answer(working);
    } finally {
      stopWaiting();
    }
  }

  /** Before the service stops: gives attempts a few seconds, since their requests are waited for. */
  stopSoon(): void {
    const stop = (): void => {
      this.stopping.abort();
      this.transport.stop();
    };
    setTimeout(stop, drainMs).unref();
  }

  /** Waits for the attempts under way, once no request is served any more. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.underWay]);
    this.transport.close();
  }

  /** An attempt whose server does not answer gives up its memory share when its caller is answered. */
  private start(attempt: Attempt, tenantId: string, bytes: number): Promise<SendReceipt> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        const running = attempt.perform();
        running.then(resolve, reject);
        await attempt.inTime(running).catch(() => undefined);
      };
      this.budget.runWithin(tenantId, bytes, run).catch(reject);
    });
  }

  /** Counts a caller of a workspace until what it returns is called. */
  private wait(tenantId: string): () => void {
    const waiting = { sinceMs: performance.now() };
    const ofTenant = this.waitedFor.get(tenantId) ?? new Set();
    this.waitedFor.set(tenantId, ofTenant.add(waiting));
    return () => {
      ofTenant.delete(waiting);
      if (ofTenant.size === 0) this.waitedFor.delete(tenantId);
    };
  }

  private isOverloaded(tenantId: string): boolean {
    const ofTenant = this.waitedFor.get(tenantId);
    const [oldest] = ofTenant ?? [];
    if (!ofTenant || !oldest || performance.now() - oldest.sinceMs <= longMs) return false;
    return ofTenant.size >= Math.max(ofTenantMin, answersMax / this.waitedFor.size);
  }
}

const smallMax = 1024 * 1024;

/** Bounds the bytes of messages that are worked on at a time, fairly between workspaces. */
export class MemoryBudget {
  private readonly queue: FairQueue;

  /** @param bounds on how many may wait; more would leave other operations no room */
  constructor(bytesMax: number, bounds: Omit<FairQueueOptions, 'capacity'> = {}) {
    this.queue = new FairQueue({ capacity: bytesMax, ...bounds });
  }

  /**
   * Runs `work` once there is room for its bytes. Small work runs at once, so that it never waits
   * behind large work; work that is larger than the budget runs alone.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many wait
   */
  async runWithin<T>(tenantId: string, bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes <= smallMax) return work();
    try {
      return await this.queue.run(work, { key: tenantId, weight: bytes });
    } catch (cause) {
      if (cause instanceof QueueRefused) throw new Problem('SERVICE_UNAVAILABLE', { cause });
      throw cause;
    }
  }
}
