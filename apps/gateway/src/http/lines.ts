import { Readable } from 'node:stream';
import type { ReplyEnvelope } from '@postroom/bus';
import type { FastifyReply } from 'fastify';

/** What an operation that answers lines says. */
interface Part {
  readonly lines: string;
  readonly after: number | null;
}

const partOf = ({ body }: ReplyEnvelope): Part => JSON.parse(body.toString()) as Part;

/**
 * Answers NDJSON part by part: the next one is asked for when the client has taken the one before, so
 * one part is in memory however long it all is. A failure past the first cuts the answer off.
 */
export async function sendLines(
  reply: FastifyReply,
  first: ReplyEnvelope,
  next: (after: number) => Promise<ReplyEnvelope>,
): Promise<void> {
  async function* parts(): AsyncGenerator<string> {
    for (let part = partOf(first); ; part = partOf(await next(part.after))) {
      if (part.lines !== '') yield part.lines;
      if (part.after === null) return;
    }
  }
  await reply
    .code(first.status)
    .type('application/x-ndjson; charset=utf-8')
    .send(Readable.from(parts(), { highWaterMark: 1 }));
}
