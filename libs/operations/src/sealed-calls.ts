import type { CallSeal } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import type { Operation } from '@postroom/contracts';

/**
 * Whether an operation's input and answer travel sealed: what members set and what holds a secret. The mail
 * that keys read and write is as clear on the bus as it is in the database.
 */
export const isSealed = ({ audience, confidential }: Operation): boolean =>
  confidential || audience === 'member' || audience === 'anyone';

const inputOf = ({ id }: Pick<RequestEnvelope, 'id'>): string => `input ${id}`;
const answerTo = ({ id }: Pick<RequestEnvelope, 'id'>): string => `answer ${id}`;

/** A signed request as it travels: its signature is that of the input in clear. */
export const sealRequest = (seal: CallSeal, request: RequestEnvelope): RequestEnvelope => ({
  ...request,
  input: seal.seal(request.input, inputOf(request)),
});

/** The request with its input in clear; null when it does not open. */
export function openRequest(seal: CallSeal, request: RequestEnvelope): RequestEnvelope | null {
  const input = seal.open(request.input, inputOf(request));
  return input && { ...request, input };
}

/** A reply as it travels: headers set cookies. A refusal has no secret, and travels as it is. */
export function sealReply(seal: CallSeal, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const head = Buffer.from(`${JSON.stringify(reply.headers)}\n`);
  return {
    ...reply,
    headers: {},
    body: seal.seal(Buffer.concat([head, reply.body]), answerTo(reply)),
  };
}

/** @throws Error when it does not open */
export function openReply(seal: CallSeal, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const opened = seal.open(reply.body, answerTo(reply));
  if (!opened) throw new Error('A reply came that the service has not sealed.');
  const end = opened.indexOf('\n');
  const headers = JSON.parse(opened.toString('utf8', 0, end)) as ReplyEnvelope['headers'];
  return { ...reply, headers, body: opened.subarray(end + 1) };
}
