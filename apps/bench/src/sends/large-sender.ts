import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface LargeSenderTask {
  /** Of the gateway. */
  readonly port: number;
  readonly mailbox: string;
  readonly apiKey: string;
  /** Sends under way at any time. */
  readonly atOnce: number;
}

export type LargeSenderOrder = 'go' | 'stop';

export interface LargeSenderReport {
  /** Sends that were answered 200 since `go`. */
  readonly sent: number;
}

/** Sends the largest messages there may be, in a thread of its own: the clock of the reads is not to wait. */
export class LargeSender {
  private readonly worker: Worker;

  constructor(task: LargeSenderTask) {
    this.worker = new Worker(new URL('./large-sender.worker.js', import.meta.url), {
      workerData: task,
    });
  }

  start(): void {
    this.tell('go');
  }

  /** Waits for the answers to what is under way. @throws Error when one was refused */
  async pause(): Promise<LargeSenderReport> {
    const reported = once(this.worker, 'message');
    this.tell('stop');
    const [report] = (await reported) as [LargeSenderReport];
    return report;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private tell(order: LargeSenderOrder): void {
    this.worker.postMessage(order);
  }
}
