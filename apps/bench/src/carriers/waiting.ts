import { replyTimeoutMs } from './carrier.js';

/** Pending replies, by the correlation number of their request. */
export class Waiting {
  private readonly replies = new Map<string, (reply: Buffer) => void>();
  private asked = 0;

  /** Sends a request under a new number and awaits the reply with that number. */
  async ask(send: (id: string) => Promise<unknown>): Promise<Buffer> {
    this.asked += 1;
    const id = String(this.asked);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        this.replies.set(id, resolve);
        timer = setTimeout(() => reject(new Error('no reply')), replyTimeoutMs);
        send(id).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      this.replies.delete(id);
    }
  }

  take(id: string, reply: Buffer): void {
    this.replies.get(id)?.(reply);
  }
}
