import { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';

/** A body that should be one message is an mbox file. */
export class SeveralMessages extends Error {
  override readonly name = 'SeveralMessages';
}

/** Takes a body that is one message, with the interface of {@link MboxSplitter}. */
export class SingleMessage {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Detects a body that is an mbox file, and keeps nothing; null once it is known to be none. */
  private mbox: MboxSplitter | null = new MboxSplitter(0);

  constructor(private readonly bytesMax: number) {}

  /** @throws SeveralMessages for an mbox file: its messages would become one, or none */
  push(chunk: Buffer): SplitMessage[] {
    // The splitter returns the first message when the second one begins.
    if (this.found((mbox) => mbox.push(chunk)) > 0) throw new SeveralMessages();
    this.bytes += chunk.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else this.pieces.push(chunk);
    return [];
  }

  /**
   * @returns the message; nothing for an empty body
   * @throws SeveralMessages for an mbox file
   */
  end(): SplitMessage[] {
    if (this.found((mbox) => mbox.end()) > 1) throw new SeveralMessages();
    if (this.bytes === 0) return [];
    const bytes = this.bytes > this.bytesMax ? null : Buffer.concat(this.pieces);
    return [{ bytes, separator: '' }];
  }

  private found(messagesOf: (mbox: MboxSplitter) => SplitMessage[]): number {
    if (this.mbox === null) return 0;
    try {
      return messagesOf(this.mbox).length;
    } catch (error) {
      if (!(error instanceof NoMbox)) throw error;
      this.mbox = null;
      return 0;
    }
  }
}
