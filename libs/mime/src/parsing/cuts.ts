import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

/**
 * What was cut from a message before it was parsed. Each cut is found again by a description that
 * no sender can guess, which stands in the head of the part that was cut.
 */
export class Cuts {
  readonly #mark = randomUUID();
  /** By how many bytes each made the message shorter. */
  readonly #removed: number[] = [];

  get count(): number {
    return this.#removed.length;
  }

  /** The Content-Description of the next part to be cut. */
  nextDescription(): string {
    return `${this.#mark}-${String(this.count)}.`;
  }

  add(removedBytes: number): void {
    this.#removed.push(removedBytes);
  }

  /** Bytes cut from parts that a part itself holds, such as a forwarded message's. */
  removedWithin(content: Buffer): number {
    let removed = 0;
    if (this.count === 0) return removed;
    for (let at = content.indexOf(this.#mark); at >= 0; at = content.indexOf(this.#mark, at + 1)) {
      const description = content.toString('latin1', at, at + this.#mark.length + 12);
      const number = Number.parseInt(description.slice(this.#mark.length + 1), 10);
      removed += this.#removed[number] ?? 0;
    }
    return removed;
  }
}
