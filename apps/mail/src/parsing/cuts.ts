import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

export interface Cut {
  /** Bytes of the whole body, decoded; exact for base64, which is how files travel. */
  readonly decodedBytes: number;
  /** By how much the message became shorter here. */
  readonly removedBytes: number;
}

/**
 * What was cut from a message before it was parsed. Each cut is found again by a description that
 * no sender can guess, which stands in the head of the part that was cut.
 */
export class Cuts {
  readonly #mark = randomUUID();
  readonly #all: Cut[] = [];

  get count(): number {
    return this.#all.length;
  }

  /** The Content-Description of the next part to be cut. */
  nextDescription(): string {
    return `${this.#mark}-${String(this.#all.length)}.`;
  }

  add(cut: Cut): void {
    this.#all.push(cut);
  }

  /** The cut of the part that carries a description, if it is one of ours. */
  of(description: string): Cut | undefined {
    return description.startsWith(this.#mark) ? this.#at(description) : undefined;
  }

  /** Bytes cut from parts that a part itself holds, such as a forwarded message's. */
  removedWithin(content: Buffer): number {
    let removed = 0;
    if (this.#all.length === 0) return removed;
    for (let at = content.indexOf(this.#mark); at >= 0; at = content.indexOf(this.#mark, at + 1)) {
      const description = content.toString('latin1', at, at + this.#mark.length + 12);
      removed += this.#at(description)?.removedBytes ?? 0;
    }
    return removed;
  }

  #at(description: string): Cut | undefined {
    return this.#all[Number.parseInt(description.slice(this.#mark.length + 1), 10)];
  }
}
