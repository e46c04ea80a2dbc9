import { FileAnswer, type HandleLatestMcpMessage, rpcCodes } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { wrongArgumentsResult } from '../calls/index.js';
import {
  initialize,
  methodOf,
  namedVersions,
  noSuchMethod,
  serverInfo,
  toolsCall,
  type Dispatcher,
} from '../dispatcher.js';
import { badRequest, readMessage, RpcError, type Message } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';
import {
  checkedRequest,
  metaOf,
  supportedVersions,
  versionField,
  type LatestMethod,
  type LatestRequest,
  type MoreMethods,
} from './latest-request.js';
import { createdTask, declaresTasks } from './tasks.js';

/** A list is the same for a deployment, but for the headers that narrow it; the instructions hold the time. */
const lifetimes = {
  list: { ttlMs: 300_000, cacheScope: 'private' },
  discovery: { ttlMs: 60_000, cacheScope: 'private' },
} as const;

/**
 * Revision 2026-07-28 of MCP (`decisions.md` §12): no handshake, and each request says its version and what the
 * client can do. Clients of older revisions, which begin with `initialize`, are answered as at `/mcp`.
 */
export class LatestDispatcher {
  private readonly methods: ReadonlyMap<string, LatestMethod>;
  private readonly capabilities: JsonObject;

  constructor(
    private readonly older: Dispatcher,
    more: readonly MoreMethods[],
  ) {
    this.methods = new Map<string, LatestMethod>([
      ['server/discover', ({ context }) => this.discover(context)],
      ['tools/list', (request) => this.listTools(request)],
      [toolsCall, (request) => this.callTool(request)],
      ...more.flatMap(({ methods }) => [...methods]),
    ]);
    const extensions = Object.assign({}, ...more.map((one) => one.extensions)) as JsonObject;
    const capabilities = more.map((one) => one.capabilities ?? {});
    this.capabilities = Object.assign({ tools: {} }, ...capabilities, { extensions }) as JsonObject;
  }

  /** @throws Problem that is answered by HTTP: FOREIGN_ORIGIN, UNAUTHENTICATED, 503 */
  async answer(context: Reading, message: HandleLatestMcpMessage): Promise<FileAnswer> {
    this.older.requireOrigin(message);
    const read = readMessage(message.body);
    const asked = { context, message };
    if (isOlder(message, read)) return this.older.answerRead(asked, read);
    if (read.kind === 'unreadable') return badRequest('The body is no JSON-RPC 2.0 request.', {});
    return this.older.answerBy(asked, read, (fields, id) =>
      this.callMethod(fields, { ...asked, id }),
    );
  }

  private async callMethod(
    fields: JsonObject,
    asked: Pick<LatestRequest, 'context' | 'message' | 'id'>,
  ): Promise<object> {
    const name = methodOf(fields);
    const checked = await this.checked(fields, asked);
    const method = this.methods.get(name);
    if (!method) throw new RpcError(rpcCodes.unknownMethod, noSuchMethod, undefined, 404);
    const result = await method({ ...asked, ...checked });
    return result instanceof FileAnswer ? result : completed(result as JsonObject);
  }

  /** A call that is refused for its headers is audited as one. */
  private async checked(
    fields: JsonObject,
    { context, message }: Pick<LatestRequest, 'context' | 'message'>,
  ): Promise<ReturnType<typeof checkedRequest>> {
    try {
      return checkedRequest(fields, message);
    } catch (error) {
      await this.older.recordUnanswerable(fields, context);
      throw error;
    }
  }

  private async discover(context: Reading): Promise<object> {
    return {
      supportedVersions,
      capabilities: this.capabilities,
      instructions: await this.older.instructions(context),
      ...lifetimes.discovery,
    };
  }

  private listTools(request: LatestRequest): Promise<object> {
    return Promise.resolve({ ...this.older.listTools(request), ...lifetimes.list });
  }

  private callTool(request: LatestRequest): Promise<object> {
    const filed = declaresTasks(request) ? createdTask : undefined;
    return this.older.callTool(request, filed).catch(wrongArgumentsResult);
  }
}

const completed = (result: JsonObject): object => ({
  resultType: 'complete',
  ...result,
  _meta: {
    ...(isRecord(result['_meta']) ? result['_meta'] : {}),
    'io.modelcontextprotocol/serverInfo': serverInfo,
  },
});

/**
 * True of a message of an older revision: it says so in `_meta` or its header, says nothing, or is an `initialize`
 * that names its version in the parameters alone.
 */
function isOlder({ protocolVersion }: HandleLatestMcpMessage, read: Message): boolean {
  const fields = read.kind === 'request' ? read.fields : {};
  const inMeta = metaOf(fields)[versionField];
  if (inMeta === undefined && fields['method'] === initialize) return true;
  const named = inMeta ?? protocolVersion;
  return named === undefined || namedVersions.some((version) => version === named);
}
