import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Budget } from './budget.js';
import type { Declared } from './declaration.js';

/** The time that a piece is to take, and the bytes that it may have. */
const pieceMs = 2;
const [firstBytes, bytesMin, bytesMax] = [8 * 1024, 256, 64 * 1024];
/** The services pass on no more than that in a second, and it would take the cores that requests need. */
const bytesPerMs = (16 * 1024 * 1024) / 1000;
/** The bytes with which a body goes ahead of its owner's earlier ones: most bodies have no more. */
const smallBytes = 256 * 1024;

/** Finds something in a body as it arrives. */
interface Splitter<T> {
  /** True while it has more to do: `push` of nothing, or `end` at the end, goes on. */
  readonly isBehind?: boolean;
  push(bytes: Buffer): T;
  end(): T;
}

/**
 * Turns for loops over clients' bytes: one piece of some 2 ms in an iteration of the event loop, whatever the bytes
 * cost, and no more of them than half of the thread's time and 16 MiB a second. Workspaces take turns. Of one
 * workspace's bodies the first goes first, so that its message can leave while the others come.
 */
export class Pieces {
  readonly #turns: Budget<'workspace'>;
  #bodies = 0;
  #restUntilMs = 0;

  constructor(limit: Declared<'workspace'>) {
    this.#turns = new Budget(limit);
  }

  /** The turns of one body. */
  body(workspace: string): BodyPieces {
    this.#bodies += 1;
    return new BodyPieces(this, workspace, this.#bodies);
  }

  /** Yields the findings of a splitter in a body as it arrives. */
  async *split<T>(
    workspace: string,
    chunks: AsyncIterable<Buffer>,
    splitter: Splitter<T>,
  ): AsyncGenerator<T, void> {
    const pieces = this.body(workspace);
    for await (const chunk of chunks)
      for await (const found of pieces.of(chunk, (piece) => splitter.push(piece))) {
        yield found;
        while (splitter.isBehind) yield await this.work(workspace, () => splitter.push(nothing));
      }
    do yield await this.work(workspace, () => splitter.end());
    while (splitter.isBehind);
  }

  /** Works on one piece of some milliseconds. */
  async work<T>(workspace: string, work: () => T): Promise<T> {
    return (await this.timed(workspace, { order: 0, bytes: 0 }, work)).value;
  }

  /** Works on a piece of a body. @returns what that gives, and how long it took */
  async timed<T>(
    workspace: string,
    { order, bytes }: { readonly order: number; readonly bytes: number },
    work: () => T,
  ): Promise<{ readonly value: T; readonly tookMs: number }> {
    return this.#turns.runInTurn(
      { workspace },
      async () => {
        const restMs = this.#restUntilMs - performance.now();
        await (restMs < 1 ? nextTurn() : sleep(restMs));
        const startMs = performance.now();
        const value = work();
        const tookMs = performance.now() - startMs;
        const dueMs = Math.max(this.#restUntilMs, startMs);
        this.#restUntilMs = dueMs + Math.max(2 * tookMs, bytes / bytesPerMs);
        return { value, tookMs };
      },
      { order },
    );
  }
}

const nothing = Buffer.alloc(0);

/** The turns of one body. */
export class BodyPieces {
  #size = firstBytes;
  #bytes = 0;

  constructor(
    private readonly pieces: Pieces,
    private readonly workspace: string,
    private readonly order: number,
  ) {}

  /** Works on bytes piece by piece, each in its turn; yields what the work gives. */
  async *of<T>(bytes: Buffer, work: (piece: Buffer) => T): AsyncGenerator<T, void> {
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + this.#size);
      const order = this.#bytes < smallBytes ? 0 : this.order;
      const turn = { order, bytes: piece.length };
      const { value, tookMs } = await this.pieces.timed(this.workspace, turn, () => work(piece));
      at += piece.length;
      this.#bytes += piece.length;
      const fitting = Math.floor((piece.length * pieceMs) / tookMs);
      this.#size = Math.min(Math.max(fitting, bytesMin), 2 * this.#size, bytesMax);
      yield value;
    }
  }
}
