import { hash } from 'node:crypto';
import { serviceNames, type OutgoingType, type ServiceName } from '@postroom/contracts';
import type { BusLog, EventRecord, RecordSignatures, RequestHandler } from '../bus.js';
import type { ReplyEnvelope, RequestEnvelope } from '../envelope.js';

let messages = 0;

/** A request with an id of its own. */
export const requestOf = (over: Partial<RequestEnvelope> = {}): RequestEnvelope => ({
  id: `req_${process.pid}_${(messages += 1)}`,
  operation: 'conversations.archive',
  deadlineMs: Date.now() + 60_000,
  caller: '{}',
  signature: 's',
  idempotencyKey: null,
  preview: false,
  requestId: 'r',
  traceparent: null,
  orderKey: null,
  references: null,
  replyTo: null,
  input: Buffer.from('{}'),
  ...over,
});

export const replyTo = (request: RequestEnvelope, text = ''): ReplyEnvelope => ({
  id: request.id,
  status: 200,
  headers: {},
  problem: null,
  body: Buffer.from(text),
});

/** Answers with the input. */
export const echo: RequestHandler = (request) =>
  Promise.resolve(replyTo(request, request.input.toString()));

/** A handler whose answers the spec releases. */
export function held() {
  const answers: (() => void)[] = [];
  const handler: RequestHandler = (request) =>
    new Promise((resolve) => {
      answers.push(() => {
        resolve(replyTo(request));
      });
    });
  return { handler, answers };
}

export const eventOf = (
  resource: string,
  data: unknown = null,
  type: OutgoingType = 'conversation.assigned',
): EventRecord => {
  const id = `evn_${process.pid}_${(messages += 1)}`;
  return { id, type, tenantId: 'tnt_1', resource, envelope: JSON.stringify({ id, type, data }) };
};

/** Signatures that anybody can make, for what the bus makes of them; libs/access has the real ones. */
export const signaturesOf = (service: ServiceName): RecordSignatures => {
  const signatureOf = (signer: string, content: string): string =>
    `${signer} ${hash('sha256', content)}`;
  return {
    sign: (content) => signatureOf(service, content),
    signerOf: (content, signature) =>
      serviceNames.find((name) => signatureOf(name, content) === signature),
  };
};

/** The data that `eventOf` was given. */
export const dataOf = ({ envelope }: EventRecord): unknown =>
  (JSON.parse(envelope) as { data: unknown }).data;

export const refusedFor = (reason: string) => ({ name: 'BusUnavailable', reason });

/** Keeps the log lines of adapters. */
export function keptLog(): BusLog & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields, errorsAsText)}`);
  };
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}

const errorsAsText = (_name: string, value: unknown): unknown =>
  Error.isError(value) ? String(value) : value;
