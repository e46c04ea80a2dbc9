import { CallEncryption, type CallerKey } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import type { ServiceName } from '@postroom/contracts';

/** Keys of services, by which they sign and encrypt their calls and those of the gateway to them. */
export type CallerKeys = Partial<Readonly<Record<ServiceName, CallerKey>>>;

export type CallEncryptions = Partial<Readonly<Record<ServiceName, CallEncryption>>>;

/** The encryption of the calls that each key is for. */
export const encryptionsOf = (keys: CallerKeys): CallEncryptions =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, new CallEncryption(key)]));

const inputOf = ({ id }: Pick<RequestEnvelope, 'id'>): string => `input ${id}`;
const answerTo = ({ id }: Pick<RequestEnvelope, 'id'>): string => `answer ${id}`;

/** A signed request as it travels: its signature is that of the input in clear. */
export const encryptRequest = (
  encryption: CallEncryption,
  request: RequestEnvelope,
): RequestEnvelope => ({
  ...request,
  input: encryption.encrypt(request.input, inputOf(request)),
});

/** The request with its input in clear; null when it cannot be decrypted. */
export function decryptRequest(
  encryption: CallEncryption,
  request: RequestEnvelope,
): RequestEnvelope | null {
  const input = encryption.decrypt(request.input, inputOf(request));
  return input && { ...request, input };
}

/** A reply as it travels: headers set cookies. A refusal has no secret, and travels as it is. */
export function encryptReply(encryption: CallEncryption, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const head = Buffer.from(`${JSON.stringify(reply.headers)}\n`);
  return {
    ...reply,
    headers: {},
    body: encryption.encrypt(Buffer.concat([head, reply.body]), answerTo(reply)),
  };
}

/** @throws Error when it cannot be decrypted */
export function decryptReply(encryption: CallEncryption, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const decrypted = encryption.decrypt(reply.body, answerTo(reply));
  if (!decrypted) throw new Error('A reply came that the service has not encrypted.');
  const end = decrypted.indexOf('\n');
  const headers = JSON.parse(decrypted.toString('utf8', 0, end)) as ReplyEnvelope['headers'];
  return { ...reply, headers, body: decrypted.subarray(end + 1) };
}
