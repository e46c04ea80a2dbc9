import type { Socket } from 'node:net';

const lineMax = 64 * 1024;
const endOfMessage = '\r\n.\r\n';

/** The input of a client, line by line or message by message; every read is null once it is gone. */
export class Incoming {
  private readonly chunks: Buffer[] = [];
  private isOver = false;
  private wake: () => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.wake();
    });
    const over = (): void => {
      this.isOver = true;
      this.wake();
    };
    socket.on('end', over).on('close', over).on('error', over);
  }

  /** The next command, without its line end. */
  async line(): Promise<string | null> {
    let text = Buffer.alloc(0);
    for (;;) {
      const chunk = await this.next();
      if (chunk === null) return null;
      text = Buffer.concat([text, chunk]);
      const end = text.indexOf('\n');
      if (end >= 0) {
        this.putBack(text.subarray(end + 1));
        return text.subarray(0, end).toString().trimEnd();
      }
      if (text.length > lineMax) return null;
    }
  }

  /**
   * A message up to its dot, as it was sent, in time linear in its size.
   * @param stopAt gives up after so many bytes, when the message is that long
   */
  async message(stopAt: number = Infinity): Promise<Buffer | 'stopped' | null> {
    const parts: Buffer[] = [];
    let size = 0;
    // The line end of DATA belongs to the end of an empty message.
    let before = Buffer.from('\r\n');
    for (;;) {
      if (size >= stopAt) return 'stopped';
      const chunk = await this.next();
      if (chunk === null) return null;
      const seen = Buffer.concat([before, chunk]);
      const end = seen.indexOf(endOfMessage);
      const length = size - before.length + end + 2;
      parts.push(chunk);
      size += chunk.length;
      if (end >= 0 && length < stopAt) {
        this.putBack(seen.subarray(end + endOfMessage.length));
        return Buffer.concat(parts).subarray(0, length);
      }
      before = seen.subarray(1 - endOfMessage.length);
    }
  }

  /** Resolves when the client is gone. */
  async gone(): Promise<void> {
    while ((await this.next()) !== null);
  }

  private putBack(rest: Buffer): void {
    if (rest.length > 0) this.chunks.unshift(rest);
  }

  private async next(): Promise<Buffer | null> {
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk) return chunk;
      if (this.isOver || this.socket.destroyed) return null;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
