import type { Caller } from '@postroom/access';
import { nextPartHeader, Problem } from '@postroom/contracts';
import { Budget, type Pieces } from '@postroom/limits';
import { BlobGone, type BlobStore } from '@postroom/persistence/blobs/blob-store';
import { Readable } from 'node:stream';
import type { ReplyEnvelope } from '@postroom/bus';
import type { Log } from '@postroom/service';
import type { FastifyReply } from 'fastify';
import { limits } from '../../limits.js';

const ownersOf = (caller: Caller) => ({
  workspace: caller.tenantId,
  caller: caller.type === 'key' ? caller.keyId : caller.memberId,
});

const json = 'application/json; charset=utf-8';
const sliceBytes = 64 * 1024;
/** Memory of a streamed answer: a piece that is sent, one that is held, one that is read. */
const streamedBytes = 1024 * 1024;
const oneAtATime = { objectMode: false, highWaterMark: 1 };

/** Asks for the next part of a file. */
type NextPart = (part: string) => Promise<ReplyEnvelope>;

type InTurn = (piece: Buffer) => Promise<Buffer>;

/**
 * Sends long answers: one that waits in the store of large bodies is read from there piece by piece, as its client
 * reads it, in turn with pieces of bodies, and dropped at the end. A file is asked for part by part, likewise; once its client has left, no more.
 */
export class LargeAnswers {
  private readonly unread = new Budget(limits.unreadAnswers);

  constructor(
    private readonly blobs: Pick<BlobStore, 'pieces' | 'drop'>,
    private readonly log: Pick<Log, 'warn'>,
    private readonly turns: Pieces,
  ) {}

  /** @throws LimitReached when the caller reads too little of what it has been answered */
  requireRoom(caller: Caller): void {
    this.unread.require(ownersOf(caller));
  }

  /**
   * Counts an answer that is made as its client reads it, until its end.
   * @throws LimitReached as {@link requireRoom}
   */
  countStreamed(reply: FastifyReply, caller: Caller): void {
    onceClosed(reply, this.unread.take(ownersOf(caller), streamedBytes));
  }

  /** @throws LimitReached, or Problem SERVICE_UNAVAILABLE, before anything is sent */
  async send(
    reply: FastifyReply,
    answer: ReplyEnvelope,
    caller: Caller,
    next: NextPart,
  ): Promise<void> {
    const { status, body, bodyRef, bodyBytes } = answer;
    const { [nextPartHeader]: part, ...others } = answer.headers;
    const headers = { 'content-type': json, ...others };
    if (typeof part === 'string') {
      this.countStreamed(reply, caller);
      const all = partsFrom(answer, next, this.turnOf(caller));
      onceClosed(reply, () => void all.return());
      // Fastify would read the whole answer to a HEAD.
      const parts = reply.request.method === 'HEAD' ? [] : all;
      await reply.code(status).headers(headers).send(Readable.from(parts, oneAtATime));
      return;
    }
    if (bodyRef !== undefined) {
      const stream = await this.stored(reply, bodyRef, caller);
      if (bodyBytes !== undefined) reply.header('content-length', bodyBytes);
      await reply.code(status).headers(headers).send(stream);
    } else {
      onceClosed(reply, this.unread.take(ownersOf(caller), body.length));
      const stream = Readable.from(slices(body), oneAtATime);
      await reply.code(status).header('content-length', body.length).headers(headers).send(stream);
    }
  }

  /** The first piece is read before the status is sent: what is gone is refused, and not broken off. */
  private async stored(reply: FastifyReply, reference: string, caller: Caller): Promise<Readable> {
    const { tenantId } = caller;
    onceClosed(reply, () => this.drop(tenantId, reference));
    this.countStreamed(reply, caller);
    const pieces = this.blobs.pieces(tenantId, reference);
    onceClosed(reply, () => void pieces.return());
    const first = await pieces.next().catch(goneOrBroken);
    const inTurn = this.turnOf(caller);
    async function* all(): AsyncGenerator<Buffer, void> {
      if (first.done === true) return;
      yield first.value;
      for await (const piece of pieces) yield await inTurn(piece);
    }
    return Readable.from(all(), oneAtATime);
  }

  /** Waits for the turn of a piece. @returns it */
  private turnOf({ tenantId }: Caller): InTurn {
    return async (piece) => {
      await this.turns.timed(tenantId, { order: 0, bytes: piece.length }, () => undefined);
      return piece;
    };
  }

  /** Not awaited: the store deletes what is left after an hour. */
  private drop(tenantId: string, reference: string): void {
    this.blobs.drop(tenantId, reference).catch((err: unknown) => {
      this.log.warn({ err }, 'a large answer was not dropped');
    });
  }
}

/**
 * Never a byte more than the answer says that it has: a client would read it as the beginning of the next answer.
 * @throws Error when the parts end before
 */
async function* partsFrom(
  first: ReplyEnvelope,
  next: NextPart,
  inTurn: InTurn,
): AsyncGenerator<Buffer, void> {
  let left = Number(first.headers['content-length']);
  for (let answer = first; ;) {
    yield await inTurn(answer.body.subarray(0, left));
    left -= answer.body.length;
    const { [nextPartHeader]: part } = answer.headers;
    if (left <= 0) return;
    if (typeof part !== 'string') throw new Error('a file was shorter than its length');
    answer = await next(part);
  }
}

/** Calls `act` once the answer has been read or broken off; at once if its client has disconnected. */
function onceClosed({ raw }: FastifyReply, act: () => void): void {
  if (raw.closed) act();
  else raw.once('close', act);
}

/** In slices, so that it can be told whether its client reads it (see `endStalledAnswers`). */
function* slices(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += sliceBytes) yield body.subarray(at, at + sliceBytes);
}

const goneOrBroken = (cause: unknown): never => {
  throw cause instanceof BlobGone ? new Problem('SERVICE_UNAVAILABLE', { cause }) : cause;
};
