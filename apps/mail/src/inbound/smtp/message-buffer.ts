import type { ReceptionBudget } from './reception-budget.js';

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
    if (!this.budget.take(chunk.length)) return false;
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
