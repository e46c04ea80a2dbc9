import { FileAnswer } from './answers.js';
import { bodyBytesMax, HeaderValue, RawBody } from './fields/index.js';
import { family, operation } from './operation.js';

/**
 * As much as a request of HTTP may have: what a header says wrongly is answered as the protocol does, not
 * refused before the message is read.
 */
const headerUnitsMax = 16_384;

/** One JSON-RPC message of an agent, and the headers that say how it is to be taken. */
export class HandleMcpMessage {
  @RawBody('The JSON-RPC message.', { max: bodyBytesMax })
  body!: string;

  @HeaderValue('Origin', 'Origin of the page that asks; absent where it is no browser.', {
    max: headerUnitsMax,
    optional: true,
  })
  origin?: string;

  @HeaderValue('MCP-Protocol-Version', 'Revision of the protocol: 2025-06-18 or 2025-03-26.', {
    max: headerUnitsMax,
    optional: true,
  })
  protocolVersion?: string;

  @HeaderValue('X-MCP-Readonly', 'With `true` no tool that writes is there.', {
    max: headerUnitsMax,
    optional: true,
  })
  readonly?: string;

  @HeaderValue('X-MCP-Tools', 'Names of tools, separated by commas: no other one is there.', {
    max: headerUnitsMax,
    optional: true,
  })
  tools?: string;

  @HeaderValue('Idempotency-Key', 'Key of the one write that the message asks for.', {
    max: headerUnitsMax,
    optional: true,
  })
  idempotencyKey?: string;

  @HeaderValue('User-Agent', 'The program that asks, as it names itself; shown to reviewers.', {
    max: headerUnitsMax,
    optional: true,
  })
  userAgent?: string;
}

/** The same at the newer address, with what revision 2026-07-28 repeats of the message in headers. */
export class HandleLatestMcpMessage extends HandleMcpMessage {
  @HeaderValue('Mcp-Method', 'The `method` of the message; revision 2026-07-28 requires it.', {
    max: headerUnitsMax,
    optional: true,
  })
  mcpMethod?: string;

  @HeaderValue(
    'Mcp-Name',
    'The name of the tool, or the id of the task; revision 2026-07-28 requires it of such calls.',
    { max: headerUnitsMax, optional: true },
  )
  mcpName?: string;

  @HeaderValue(
    'Last-Event-ID',
    'Cursor after which a stream of events goes on, instead of that in its body.',
    {
      max: headerUnitsMax,
      optional: true,
    },
  )
  lastEventId?: string;
}

/** Internal header of a part of a stream: the `Last-Event-ID` that the next part is asked for with. */
export const continuationHeader = 'x-svc-continue';

const message = (rest: object, required: readonly string[]) => ({
  type: 'object',
  properties: { jsonrpc: { const: '2.0' }, ...rest },
  required: ['jsonrpc', ...required],
});

// Without a type: it is text or a number, and generators have no type of both.
const id = { description: 'Text or number; absent of a notification.' };

const requestSchema = message(
  { id, method: { type: 'string' }, params: { type: 'object', additionalProperties: true } },
  ['method'],
);

/** Codes of errors (public-api.md §7). */
const olderCodes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  notAuthorized: -32001,
  internal: -32603,
} as const;

/** The same, and those of revision 2026-07-28 and, from -32023 on, of its Events extension (SEP-3415). */
export const rpcCodes = {
  ...olderCodes,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  notFound: -32023,
  forbidden: -32024,
  resourceExhausted: -32025,
  unsupported: -32026,
  callbackFailed: -32027,
} as const;

/** The error that ends what an agent is told of events: its key has ended, or may not see them any more. */
export const accessEnded = {
  code: rpcCodes.forbidden,
  message: 'Forbidden',
  data: { reason: 'Access revoked' },
} as const;

const response = (errorCodes: readonly number[], required: readonly string[]) =>
  message(
    {
      id: { description: 'That of the request; null where it could not be read.' },
      result: { type: 'object', additionalProperties: true },
      error: {
        type: 'object',
        properties: {
          code: { enum: errorCodes },
          message: { type: 'string' },
          data: { type: 'object', additionalProperties: true },
        },
        required: ['code', 'message'],
      },
    },
    required,
  );

const spoken = {
  scope: 'any',
  effect: 'read',
  output: FileAnswer,
  request: { text: requestSchema },
  keysOnly: true,
  problems: ['FOREIGN_ORIGIN'],
  // A tool call is an operation of 10 s and its way through the gateway.
  deadlineMs: 16_000,
} as const;

/** The addresses of AI agents (public-api.md §4, MCP; `decisions.md` §12): operations of the public API as tools. */
export const mcp = family('mcp', 'mcp', {
  handle: operation({
    ...spoken,
    http: 'POST /mcp',
    input: HandleMcpMessage,
    answer: { text: response(Object.values(olderCodes), ['id']) },
    summary: 'Talk to the tools for AI agents (MCP, JSON-RPC 2.0)',
    description:
      'Protocol revision 2025-06-18, without sessions and without a stream. A notification is ' +
      'answered 202 with an empty body. Each tool needs the scope of its operation, and the writes of ' +
      'agent keys wait for a person as they do elsewhere; no tool sends mail. Any error on a request ' +
      'whose `id` could be read is a JSON-RPC error with status 200.',
  }),
  latest: operation({
    ...spoken,
    http: 'POST /mcp/latest',
    input: HandleLatestMcpMessage,
    // Revision 2026-07-28 leaves out the id of what could not be read.
    answer: { text: response(Object.values(rpcCodes), []) },
    summary: 'Talk to the same tools, signed in by OAuth 2.1 too',
    description:
      'Protocol revision 2026-07-28, with tasks for writes that wait; a client that begins with ' +
      '`initialize`, or names an older revision, is answered as at `/mcp`. Beside keys, access tokens ' +
      'of OAuth 2.1 are taken here; a 401 says where the metadata are (RFC 9728).',
    addition: true,
    // The secret that an agent chooses for its webhook.
    confidential: true,
  }),
});
