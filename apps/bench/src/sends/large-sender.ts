import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface LargeSenderTask {
  /** Port of the gateway. */
  readonly port: number;
  readonly mailbox: string;
  readonly apiKey: string;
  /** Concurrent sends. */
  readonly atOnce: number;
}

export type LargeSenderOrder = 'go' | 'stop';

export interface LargeSenderReport {
  /** Sends that were answered 200 since `go`. */
  readonly sent: number;
}

/** Sends messages of the largest size, in a thread, so as not to delay the timing of the reads. */
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

  /** Awaits the outstanding answers. @throws Error when one was refused */
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
