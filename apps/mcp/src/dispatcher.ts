import { FileAnswer, Problem, type HandleMcpMessage, rpcCodes } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { subjectOfCall, type FiledShape, type ToolCalls } from './calls/index.js';
import {
  accepted,
  badRequest,
  errorOf,
  invalidParams,
  isEnvelope,
  readMessage,
  resultOf,
  RpcError,
  type Message,
  type RequestId,
} from './json-rpc.js';
import { instructionsFor } from './instructions.js';
import { isRecord, type JsonObject } from './json.js';
import { narrowingOf, type ToolBox } from './tools/index.js';

/** A message as it came, and whose it is. */
export interface McpRequest {
  readonly context: Reading;
  readonly message: HandleMcpMessage;
}

/** One request, with what its method needs. */
export interface Request extends McpRequest {
  readonly params: JsonObject;
}

export const toolsCall = 'tools/call';

type Method = (request: Request) => object | Promise<object>;

/**
 * JSON-RPC of MCP (`decisions.md` §7), without sessions: every request stands for itself. It is written
 * by hand since the official servers refuse clients that do not accept a stream, run batches, and lose
 * -32001.
 */
export class Dispatcher {
  private readonly methods: ReadonlyMap<string, Method>;

  constructor(
    private readonly tools: ToolBox,
    private readonly calls: ToolCalls,
    private readonly origins: readonly string[],
    private readonly log: Log,
  ) {
    this.methods = new Map<string, Method>([
      [initialize, ({ context }) => this.initialize(context)],
      ['ping', () => ({})],
      ['tools/list', (request) => this.listTools(request)],
      [toolsCall, (request) => this.callTool(request)],
    ]);
  }

  /** @throws Problem that is answered by HTTP: FOREIGN_ORIGIN, UNAUTHENTICATED, 503 */
  async answer(context: Reading, message: HandleMcpMessage): Promise<FileAnswer> {
    this.requireOrigin(message);
    return this.answerRead({ context, message }, readMessage(message.body));
  }

  /** The same of a message that was read. */
  async answerRead(asked: McpRequest, read: Message): Promise<FileAnswer> {
    if (!isSpoken(asked.message, read)) return badRequest(unspoken);
    if (read.kind === 'unreadable') return badRequest('The body is no JSON-RPC 2.0 request.');
    return this.answerBy(asked, read, (fields) => this.callMethod(fields, asked));
  }

  /** The answer to a message by the methods of any revision; an answer of theirs is sent as it is. */
  async answerBy(
    { context }: McpRequest,
    read: Exclude<Message, { readonly kind: 'unreadable' }>,
    call: (fields: JsonObject, id: RequestId) => Promise<object>,
  ): Promise<FileAnswer> {
    if (read.kind === 'response') return accepted();
    if (read.kind === 'notification') {
      await this.recordUnanswerable(read.fields, context);
      return accepted();
    }
    try {
      const result = await call(read.fields, read.id);
      return result instanceof FileAnswer ? result : resultOf(read.id, result);
    } catch (error) {
      return errorOf(read.id, this.rpcErrorOf(error, context));
    }
  }

  private async callMethod(fields: JsonObject, asked: McpRequest): Promise<object> {
    const method = this.methods.get(methodOf(fields));
    if (!method) throw new RpcError(rpcCodes.unknownMethod, noSuchMethod);
    const params = fields['params'] ?? {};
    if (isRecord(params)) return method({ ...asked, params });
    await this.recordUnanswerable(fields, asked.context);
    throw invalidParams('`params` must be an object.');
  }

  /** The answer to `initialize`, whatever revision the client asked for. */
  private async initialize(context: Reading): Promise<object> {
    return {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo,
      instructions: await this.instructions(context),
    };
  }

  async instructions(context: Reading): Promise<string> {
    const introduction = await this.calls.introduction(context);
    return instructionsFor(context.caller, introduction, new Date());
  }

  listTools({ message, params }: Request): object {
    // Clients with optional fields send null for a cursor that they do not have.
    if (params['cursor'] != null) {
      throw invalidParams('There is one page of tools: no cursor was given out.');
    }
    const tools = this.tools.visible(narrowingOf(message));
    return { tools: tools.map(({ definition }) => definition) };
  }

  /** @param filed shapes the result of a write that was filed for approval */
  async callTool({ context, message, params }: Request, filed?: FiledShape): Promise<object> {
    const { name } = params;
    const tool = typeof name === 'string' ? this.tools.find(name, narrowingOf(message)) : undefined;
    if (tool) return this.calls.call(tool, { context, params, message }, filed);
    await this.recordRefused(name, context);
    if (typeof name !== 'string') throw invalidParams('`name` must be the name of a tool.');
    // The same for a hidden one: another refusal would reveal that it exists.
    throw invalidParams('There is no tool of this name.');
  }

  /** A call that names no arguments, or is a notification, which could not be answered, is not carried out. */
  async recordUnanswerable(fields: JsonObject, context: Reading): Promise<void> {
    const { method, params } = fields;
    if (method !== toolsCall) return;
    await this.recordRefused(isRecord(params) ? params['name'] : undefined, context);
  }

  /**
   * Refuses the page of a stranger: it would reach a server on its visitor's machine through the visitor's
   * browser (DNS rebinding).
   * @throws Problem FOREIGN_ORIGIN
   */
  requireOrigin({ origin }: HandleMcpMessage): void {
    if (origin !== undefined && !this.origins.includes(origin)) throw new Problem('FOREIGN_ORIGIN');
  }

  private recordRefused(name: unknown, context: Reading): Promise<void> {
    const tool = typeof name === 'string' ? this.tools.named(name) : undefined;
    return this.calls.recordRefused(subjectOfCall(name, tool), context);
  }

  /**
   * The JSON-RPC error of a failed request; an unexpected error goes to the log alone.
   * @throws Problem that HTTP answers: the key was withdrawn meanwhile, a service does not answer
   */
  private rpcErrorOf(error: unknown, { requestId }: Reading): RpcError {
    if (error instanceof RpcError) return error;
    if (!(error instanceof Problem)) {
      this.log.error({ err: error, requestId }, 'tool call failed');
    } else if (error.code !== 'INTERNAL') {
      throw error;
    }
    return new RpcError(rpcCodes.internal, 'An internal error.');
  }
}

export const initialize = 'initialize';

/** The server as it names itself. */
export const serverInfo = { name: 'postroom', title: 'Postroom', version: '1.0.0' };

/** The revision that is spoken. */
const protocolVersion = '2025-06-18';

/** Revisions that a request may name: the older one differs in nothing that is offered here. */
export const namedVersions: readonly string[] = ['2025-03-26', protocolVersion];

export const noSuchMethod = 'There is no such method.';

/** The method of a request. @throws RpcError of no JSON-RPC 2.0 request */
export function methodOf(fields: JsonObject): string {
  if (isEnvelope(fields)) return String(fields['method']);
  throw new RpcError(rpcCodes.invalidRequest, 'This is no JSON-RPC 2.0 request.');
}

/** The origins of pages that may ask: the deployment's own, and those that the operator allows. */
export const allowedOrigins = (config: {
  readonly publicUrl: string;
  readonly allowedOrigins: readonly string[];
}): readonly string[] => [
  new URL(config.publicUrl).origin,
  ...config.allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin),
];

const unspoken = `This protocol version is not supported; supported: ${namedVersions.join(', ')}.`;

/**
 * True if a request names a supported revision, or none. That of `initialize` is negotiated in its body: clients
 * send the newest one that they know as its header too.
 */
const isSpoken = ({ protocolVersion: named }: HandleMcpMessage, read: Message): boolean =>
  named === undefined ||
  namedVersions.includes(named) ||
  (read.kind === 'request' && read.fields['method'] === initialize);
