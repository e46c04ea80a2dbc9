import type { SplitMessage } from './mbox-splitter.js';

/** A body that is one message, taken as an mbox file is: null when it is larger than is kept. */
export class WholeMessage {
  private pieces: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly bytesMax: number) {}

  push(chunk: Buffer): SplitMessage[] {
    this.bytes += chunk.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else this.pieces.push(chunk);
    return [];
  }

  /** @returns the message; nothing for an empty body */
  end(): SplitMessage[] {
    if (this.bytes === 0) return [];
    return [this.bytes > this.bytesMax ? null : Buffer.concat(this.pieces)];
  }
}
