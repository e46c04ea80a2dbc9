import { Problem, type SendReceipt } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { logToken, UnitOfWork, type Sending } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { limits } from '../limits.js';
import { Transport } from '../outgoing/index.js';
import { Attempt, type AttemptResources } from './attempt.js';
import { Preparation, type ReservedSend } from './preparation.js';
import { failSend, leaseMs } from './reservations.js';
import { SandboxReports } from './sandbox-reports.js';
import { sizeOf } from './send-request.js';
import type { Refusal } from './verdict.js';

const renewEveryMs = leaseMs / 4;
/** Smaller messages do not wait for room in memory, so that they never wait behind large ones. */
const smallMax = 1024 * 1024;
/** Time for which attempts go on once the process stops. */
const drainMs = 10_000;

const overloaded: Refusal = { kind: 'unavailable', reason: 'too many sends are waiting' };

/** Runs attempts, each to its end, also when its caller no longer waits for it. */
@Injectable()
export class Attempts implements OnApplicationShutdown {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private readonly waiting = new Budget(limits.sends);
  private readonly bytes = new Budget(limits.sendBytes);
  private readonly resources: AttemptResources;

  constructor(
    preparation: Preparation,
    private readonly transport: Transport,
    reports: SandboxReports,
    work: UnitOfWork,
    @Inject(logToken) log: Log,
  ) {
    this.resources = { preparation, transport, reports, work, log, stopping: this.stopping.signal };
  }

  /** @throws Problem */
  async send(context: Sending, send: ReservedSend): Promise<SendReceipt> {
    const { tenantId } = context;
    const stopWaiting = await this.wait(context, send);
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
      const inTurn = (): Promise<void> =>
        this.bytes.runInTurn({ workspace: tenantId }, run, { amount: bytes });
      (bytes <= smallMax ? run() : inTurn()).catch(reject);
    });
  }

  /** Counts a caller until what it returns is called. @throws Problem OUTGOING_UNAVAILABLE */
  private async wait(context: Sending, send: ReservedSend): Promise<() => void> {
    try {
      this.stopping.signal.throwIfAborted();
      return this.waiting.take({ workspace: context.tenantId });
    } catch (cause) {
      await failSend(context, send.reservation, overloaded);
      throw new Problem('OUTGOING_UNAVAILABLE', { cause });
    }
  }
}
