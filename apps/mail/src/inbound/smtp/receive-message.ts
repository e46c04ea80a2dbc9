import type { Budget, NetworkKind, Owners } from '@postroom/limits';
import type { SMTPServerDataStream } from 'smtp-server';
import { refusals, SmtpRefusal } from './smtp-refusal.js';

const blockBytes = 64 * 1024;

/**
 * The bytes of one message within the budget. They are copied together, because dots that are
 * unstuffed come in chunks of a few bytes, by the million.
 */
export class MessageBuffer {
  private full: Buffer[] = [];
  private block: Buffer | null = null;
  private used = 0;
  private taken: (() => void)[] = [];

  constructor(
    private readonly budget: Budget<NetworkKind>,
    private readonly owners: Owners<NetworkKind>,
  ) {}

  /** @throws LimitReached when the budget does not allow it */
  append(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      this.block ??= this.newBlock();
      const copied = chunk.copy(this.block, this.used, start);
      start += copied;
      this.used += copied;
      if (this.used === blockBytes) this.endBlock(this.block);
    }
  }

  /** All bytes as one buffer; they count in the budget until `release`. */
  joined(): Buffer {
    const last = this.block?.subarray(0, this.used) ?? Buffer.alloc(0);
    const bytes = Buffer.concat([...this.full, last]);
    this.drop();
    return bytes;
  }

  /** Drops the bytes and releases their share of the budget. */
  release(): void {
    for (const giveBack of this.taken.splice(0)) giveBack();
    this.drop();
  }

  private newBlock(): Buffer {
    this.taken.push(this.budget.take(this.owners, blockBytes));
    return Buffer.allocUnsafeSlow(blockBytes);
  }

  private endBlock(block: Buffer): void {
    this.full.push(block);
    this.block = null;
    this.used = 0;
  }

  private drop(): void {
    this.full = [];
    this.block = null;
    this.used = 0;
  }
}

/**
 * Reads a message to its end. A message that is refused is read too, since the client reads the reply
 * only then (RFC 5321 §3.3), but not buffered.
 *
 * @param timeLimitMs for the whole message: a client that sends a byte a minute is never idle
 * @throws SmtpRefusal for a message that is too large or too slow, exceeds the budget, or breaks off
 */
export async function receiveMessage(
  stream: SMTPServerDataStream,
  buffer: MessageBuffer,
  timeLimitMs: number,
): Promise<Buffer> {
  const chunks: AsyncIterable<Buffer> = stream;
  const timer = setTimeout(() => stream.destroy(refusals.tooSlow()), timeLimitMs);
  let refusal: SmtpRefusal | null = null;
  try {
    for await (const chunk of chunks) {
      if (refusal) continue;
      if (stream.sizeExceeded) refusal = refusals.tooLarge();
      else refusal = refusalOf(() => buffer.append(chunk));
      if (refusal) buffer.release();
    }
  } catch (error) {
    throw error instanceof SmtpRefusal ? error : refusals.brokenOff();
  } finally {
    clearTimeout(timer);
  }
  if (refusal) throw refusal;
  return buffer.joined();
}

function refusalOf(append: () => void): SmtpRefusal | null {
  try {
    append();
    return null;
  } catch {
    return refusals.noRoom();
  }
}
