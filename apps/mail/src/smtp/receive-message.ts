import type { SMTPServerDataStream } from 'smtp-server';
import type { ReceptionBudget } from './reception-budget.js';
import { refusals, SmtpRefusal } from './smtp-refusal.js';

const blockBytes = 64 * 1024;

/** A message in memory; its share of the budget is given back by whoever has it. */
export interface Received {
  readonly raw: Buffer;
  release(): void;
}

/**
 * Reads a message to its end. What is too large is read too, since a client hears of it only then
 * (RFC 5321 §4.2.5), but not kept.
 *
 * @param timeLimitMs for the whole message: a client that sends a byte a minute is never idle
 * @throws SmtpRefusal for a message that is too large or too slow, or finds no room
 */
export async function receiveMessage(
  stream: SMTPServerDataStream,
  budget: ReceptionBudget,
  timeLimitMs: number,
): Promise<Received> {
  const bytes = new Blocks();
  let refusal: SmtpRefusal | null = null;
  let taken = 0;
  const timer = setTimeout(() => stream.destroy(refusals.tooSlow()), timeLimitMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      refusal ??= stream.sizeExceeded ? refusals.tooLarge() : null;
      if (!refusal && !budget.take(chunk.length)) refusal = refusals.noRoom();
      if (!refusal) {
        taken += chunk.length;
        bytes.append(chunk);
      } else if (taken > 0) {
        bytes.clear();
        budget.release(taken);
        taken = 0;
      }
    }
    if (refusal) throw refusal;
    const raw = bytes.joined();
    return { raw, release: () => budget.release(taken) };
  } catch (error) {
    budget.release(taken);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes copied together: dots that are unstuffed come in chunks of a few bytes, by the million. */
class Blocks {
  private full: Buffer[] = [];
  private block = Buffer.allocUnsafeSlow(blockBytes);
  private used = 0;

  append(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      const copied = chunk.copy(this.block, this.used, start);
      start += copied;
      this.used += copied;
      if (this.used === blockBytes) this.startBlock();
    }
  }

  clear(): void {
    this.full = [];
    this.used = 0;
  }

  joined(): Buffer {
    return Buffer.concat([...this.full, this.block.subarray(0, this.used)]);
  }

  private startBlock(): void {
    this.full.push(this.block);
    this.block = Buffer.allocUnsafeSlow(blockBytes);
    this.used = 0;
  }
}
