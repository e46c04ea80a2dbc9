import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface SenderTask {
  /** Port of the SMTP listener. */
  readonly port: number;
  readonly mailbox: string;
  /** True for small messages, each of a conversation of its own, in the place of the worst. */
  readonly isOrdinary?: boolean;
}

export type SenderOrder = 'go' | 'stop';

export interface SenderReport {
  /** Messages that were answered 250 since `go`. */
  readonly sent: number;
}

/** Sends messages, the worst ones unless told, in a thread, so as not to delay the timing of the reads. */
export class Sender {
  private readonly worker: Worker;

  constructor(task: SenderTask) {
    this.worker = new Worker(new URL('./sender.worker.js', import.meta.url), { workerData: task });
  }

  start(): void {
    this.tell('go');
  }

  /** Awaits the answer to the last message. @throws Error when one was refused */
  async pause(): Promise<SenderReport> {
    const reported = once(this.worker, 'message');
    this.tell('stop');
    const [report] = (await reported) as [SenderReport];
    return report;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private tell(order: SenderOrder): void {
    this.worker.postMessage(order);
  }
}
