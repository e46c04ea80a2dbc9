import { invalidField } from '@postroom/contracts';
import { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';

/** A body that is one message, taken as an mbox file is: null when it is larger than is kept. */
export class WholeMessage {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Looks for further messages and keeps nothing; null once the body is seen to be no mbox file. */
  private mbox: MboxSplitter | null = new MboxSplitter(0);

  constructor(private readonly bytesMax: number) {}

  /** @throws Problem INVALID_REQUEST for an mbox file: its messages would become one, or none */
  push(chunk: Buffer): SplitMessage[] {
    // The first one has ended where a second one begins.
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
