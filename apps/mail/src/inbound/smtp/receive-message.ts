import type { SMTPServerDataStream } from 'smtp-server';
import { refusals, SmtpRefusal } from './smtp-refusal.js';

const blockBytes = 64 * 1024;

/**
 * The bytes of one message within the budget. They are copied together, because dots that are
 * unstuffed come in chunks of a few bytes, by the million.
 */
export class MessageBuffer {
  private full: Buffer[] = [];
  private block = Buffer.allocUnsafeSlow(blockBytes);
  private used = 0;
  private taken = 0;

  constructor(private readonly budget: ReceptionBudget) {}

  /** False when the budget does not allow it. */
  append(chunk: Buffer): boolean {
    if (!this.budget.reserve(chunk.length)) return false;
    this.taken += chunk.length;
    for (let start = 0; start < chunk.length;) {
      const copied = chunk.copy(this.block, this.used, start);
      start += copied;
      this.used += copied;
      if (this.used === blockBytes) this.startBlock();
    }
    return true;
  }

  /** All bytes as one buffer; they count in the budget until `release`. */
  joined(): Buffer {
    const bytes = Buffer.concat([...this.full, this.block.subarray(0, this.used)]);
    this.full = [];
    this.used = 0;
    return bytes;
  }

  /** Drops the bytes and releases their share of the budget. */
  release(): void {
    this.budget.release(this.taken);
    this.taken = 0;
    this.used = 0;
    this.full = [];
  }

  private startBlock(): void {
    this.full.push(this.block);
    this.block = Buffer.allocUnsafeSlow(blockBytes);
    this.used = 0;
  }
}

/** Bytes of messages that may be in memory at once, over all connections. */
export class ReceptionBudget {
  private taken = 0;

  constructor(private readonly bytesMax: number) {}

  /** True if so many more bytes would fit now. */
  hasRoom(bytes: number): boolean {
    return this.taken + bytes <= this.bytesMax;
  }

  /** Reserves bytes until `release`; false when they do not fit. */
  reserve(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.taken -= bytes;
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
      else if (!buffer.append(chunk)) refusal = refusals.noRoom();
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
