import { setTimeout as sleep } from 'node:timers/promises';

const requestBytes = 600;
const replyBytes = 1_500;
/** The first byte says how long the handler takes, the next four which request it is. */
const [delayAt, numberAt] = [0, 1];

const replyBody = Buffer.alloc(replyBytes, 'r');

export function requestOf(number: number, handlerMs: number): Buffer {
  const request = Buffer.alloc(requestBytes, 'q');
  request.writeUInt8(handlerMs, delayAt);
  request.writeUInt32LE(number, numberAt);
  return request;
}

/** The answer of the service, after the time that the request asks for. */
export async function answerTo(request: Buffer): Promise<Buffer> {
  const delayMs = request.readUInt8(delayAt);
  if (delayMs > 0) await sleep(delayMs);
  const reply = Buffer.from(replyBody);
  reply.writeUInt32LE(request.readUInt32LE(numberAt), numberAt);
  return reply;
}

/** @throws Error for a reply that is another request's, or not whole */
export function requireReplyTo(number: number, reply: Buffer): void {
  if (reply.length !== replyBytes || reply.readUInt32LE(numberAt) !== number) {
    throw new Error(`the reply to request ${number} is not its own`);
  }
}
