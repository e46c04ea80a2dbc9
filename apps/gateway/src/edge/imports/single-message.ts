import { invalidField } from '@postroom/contracts';
import { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';

/** Takes a body that is one message, with the interface of {@link MboxSplitter}. */
export class SingleMessage {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Detects a body that is an mbox file, and keeps nothing; null once it is known to be none. */
  private mbox: MboxSplitter | null = new MboxSplitter(0);

  constructor(private readonly bytesMax: number) {}

  /** @throws Problem INVALID_REQUEST for an mbox file: its messages would become one, or none */
  push(chunk: Buffer): SplitMessage[] {
    // The splitter returns the first message when the second one begins.
    if (this.found((mbox) => mbox.push(chunk)) > 0) throw severalMessages();
    this.bytes += chunk.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else this.pieces.push(chunk);
    return [];
  }

  /**
   * @returns the message; nothing for an empty body
   * @throws Problem INVALID_REQUEST for an mbox file
   */
  end(): SplitMessage[] {
    if (this.found((mbox) => mbox.end()) > 1) throw severalMessages();
    if (this.bytes === 0) return [];
    return [this.bytes > this.bytesMax ? null : Buffer.concat(this.pieces)];
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

const severalMessages = (): Error =>
  invalidField(
    '',
    'un seul message attendu : ce fichier mbox s’envoie comme application/mbox',
    'expected a single message: send this mbox file as application/mbox',
  );
