import { Readable } from 'node:stream';
import type { ReplyEnvelope } from '@postroom/bus';
import type { FastifyReply } from 'fastify';

/** Position where an answer continues: a number, or an id. */
export type Continuation = number | string;

/** Asks the service for the next part of an answer. */
type Next = (after: Continuation) => Promise<ReplyEnvelope>;

/** A part of an answer; `after` is where the next part begins, null in the last part. */
interface Part {
  readonly after: Continuation | null;
}

/** A part of an answer that consists of lines. */
interface LinesPart extends Part {
  readonly lines: string;
  readonly mediaType?: string;
  /** Set for an answer that a browser saves as a file. */
  readonly fileName?: string;
}

const partOf = ({ body }: ReplyEnvelope): Part => JSON.parse(body.toString()) as Part;

/**
 * Streams an answer of lines part by part. The next part is asked for when the client has read the one
 * before, so that one part is in memory at a time. The status has been sent with the first part: a
 * later failure can only break the connection off.
 */
export async function sendLines(
  reply: FastifyReply,
  first: ReplyEnvelope,
  next: Next,
): Promise<void> {
  const begin = partOf(first) as LinesPart;
  async function* lines(): AsyncGenerator<string> {
    for (let part = begin; ;) {
      if (part.lines !== '') yield part.lines;
      if (part.after === null) return;
      part = partOf(await next(part.after)) as LinesPart;
    }
  }
  // Fastify would read the whole answer to a HEAD, as fast as it comes.
  const sent = reply.request.method === 'HEAD' ? [] : lines();
  if (begin.fileName !== undefined)
    reply.header('content-disposition', `attachment; filename="${begin.fileName}"`);
  await reply
    .code(first.status)
    .type(begin.mediaType ?? 'application/x-ndjson; charset=utf-8')
    .send(Readable.from(sent, { highWaterMark: 1 }));
}

/**
 * Runs an operation that works in steps, so that no single request holds the service for long. The
 * answer is that of the last step, without its `after`.
 */
export async function lastStep(first: ReplyEnvelope, next: Next): Promise<ReplyEnvelope> {
  for (let reply = first; ;) {
    const { after, ...answer } = partOf(reply);
    if (after === null) return { ...reply, body: Buffer.from(JSON.stringify(answer)) };
    reply = await next(after);
  }
}
