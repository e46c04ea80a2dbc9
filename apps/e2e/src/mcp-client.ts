import { type Answer, send } from './http.js';
import type { Product } from './product.js';

/** A JSON object that is not known further. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON-RPC answer. */
export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

/** The result of a tool call. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Json;
  readonly isError: boolean;
  readonly _meta?: Json;
}

type Headers = Readonly<Record<string, string>>;

/** `POST /mcp`, or `/mcp/latest`, with one key, as raw HTTP. */
export class McpClient {
  constructor(
    private readonly product: Product,
    readonly key: string,
    private readonly path = '/mcp',
  ) {}

  /** Any body; the key is sent unless `headers` have another one. */
  post(body: string | Buffer, headers: Headers = {}): Promise<Answer> {
    return this.request('POST', body, headers);
  }

  request(method: string, body: string | Buffer | undefined, headers: Headers): Promise<Answer> {
    return send(this.product.baseUrl + this.path, {
      method,
      body,
      headers: { 'X-Api-Key': this.key, 'Content-Type': 'application/json', ...headers },
    });
  }

  /** A request with an id; its answer has to be HTTP 200. */
  async ask(method: string, params?: unknown, headers: Headers = {}): Promise<RpcAnswer> {
    const answer = await this.post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) }),
      headers,
    );
    if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${answer.text}`);
    return rpcOf(answer);
  }

  /** The same in revision 2026-07-28, of a client that knows tasks. @param name of the tool or the task */
  askLatest(method: string, params: Json, name: string): Promise<RpcAnswer> {
    const [version, of] = ['2026-07-28', 'io.modelcontextprotocol'];
    const _meta = {
      [`${of}/protocolVersion`]: version,
      [`${of}/clientCapabilities`]: { extensions: { [`${of}/tasks`]: {} } },
    };
    const headers = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, 'Mcp-Name': name };
    return this.ask(method, { ...params, _meta }, headers);
  }

  /** A tool call, its result or its error. */
  callRaw(name: string, args: unknown, headers: Headers = {}): Promise<RpcAnswer> {
    return this.ask('tools/call', { name, arguments: args }, headers);
  }

  /** A tool call that has a result. */
  async call(name: string, args: unknown, headers: Headers = {}): Promise<ToolResult> {
    const { result, error } = await this.callRaw(name, args, headers);
    if (!result) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return result as unknown as ToolResult;
  }
}

/** The JSON-RPC answer in an HTTP answer. */
export const rpcOf = ({ text }: Answer): RpcAnswer => JSON.parse(text) as RpcAnswer;
