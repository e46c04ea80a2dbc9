import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem, type SendReceipt } from '@postroom/contracts';
import { UnitOfWork, type Sending } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { MemoryBudget } from '../memory-budget.js';
import { Transport } from '../outgoing/index.js';
import { logToken } from '../resources.js';
import { Attempt, type AttemptResources } from './attempt.js';
import { Preparation, type Attempted } from './preparation.js';
import { failSend, leaseMs } from './reservations.js';
import { sizeOf } from './send-request.js';
import type { Refusal } from './verdict.js';

const renewEveryMs = leaseMs / 4;
/**
 * Answers that are waited for at a time while the oldest takes long: a slow mail server leaves room for
 * other operations, and a burst that is worked off is none.
 */
const answersMax = 64;
const longMs = 5_000;
/** Of messages that are being sent: several copies of each are in memory at a time. */
const bytesMax = 48 * 1024 * 1024;
/** At the end of the process: what is on its way may be answered meanwhile. */
const drainMs = 10_000;

const heldUp: Refusal = { kind: 'unavailable', said: 'no room for another' };

/** Carries attempts out, each to its end, also when its caller does not wait for it any more. */
@Injectable()
export class Attempts implements OnApplicationShutdown {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private readonly budget = new MemoryBudget(bytesMax);
  private readonly resources: AttemptResources;
  /** Since when, first the oldest. */
  private readonly waitedFor = new Set<{ readonly sinceMs: number }>();

  constructor(
    preparation: Preparation,
    private readonly transport: Transport,
    work: UnitOfWork,
    @Inject(logToken) log: Log,
  ) {
    this.resources = { preparation, transport, work, log, stopping: this.stopping.signal };
  }

  /** @throws Problem */
  async run(context: Sending, attempted: Attempted): Promise<SendReceipt> {
    if (this.isHeldUp() || this.stopping.signal.aborted) {
      await failSend(context, attempted.reservation, heldUp);
      throw new Problem('OUTGOING_UNAVAILABLE');
    }
    const waiting = { sinceMs: performance.now() };
    this.waitedFor.add(waiting);
    const attempt = new Attempt(this.resources, context, attempted);
    const renewing = setInterval(() => void attempt.renew(), renewEveryMs);
    const working = this.begun(attempt, context.tenantId, sizeOf(attempted.request)).finally(() => {
      clearInterval(renewing);
      this.underWay.delete(working);
    });
    this.underWay.add(working);
    try {
      return await attempt.answer(working);
    } finally {
      this.waitedFor.delete(waiting);
    }
  }

  /** The service is about to stop: what is on its way has a moment left, or its requests would not end. */
  stopSoon(): void {
    const stop = (): void => {
      this.stopping.abort();
      this.transport.stop();
    };
    setTimeout(stop, drainMs).unref();
  }

  /** No request is served any more; waits for what is on its way. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.underWay]);
    this.transport.close();
  }

  /** One whose server does not answer makes room for others when its caller is answered. */
  private begun(attempt: Attempt, tenantId: string, bytes: number): Promise<SendReceipt> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        const running = attempt.run();
        running.then(resolve, reject);
        await attempt.inTime(running).catch(() => undefined);
      };
      this.budget.run(tenantId, bytes, run).catch(reject);
    });
  }

  private isHeldUp(): boolean {
    const [oldest] = this.waitedFor;
    const isLong = oldest !== undefined && performance.now() - oldest.sinceMs > longMs;
    return isLong && this.waitedFor.size >= answersMax;
  }
}
