import { type Answer, send } from './http.js';
import type { Product } from './product.js';

export type Json = Readonly<Record<string, unknown>>;

/** A message of JSON-RPC, as an answer or on a stream. */
export interface Rpc {
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: Json;
}

/** An event as it is told, in whichever mode. */
export interface ToldEvent {
  readonly eventId: string;
  readonly cursor?: string;
  readonly data: { readonly sequence: number; readonly resource: { readonly id: string } };
}

const revision = '2026-07-28';

/** The frames of a stream, until it ends or is left. */
export class EventStream {
  readonly frames: Rpc[] = [];
  isOver = false;
  private readonly leaving = new AbortController();

  /** @throws Error where the stream does not open */
  async open(url: string, request: RequestInit): Promise<this> {
    const answer = await fetch(url, { ...request, signal: this.leaving.signal });
    const type = answer.headers.get('content-type');
    if (type !== 'text/event-stream; charset=utf-8')
      throw new Error(`${answer.status} ${type}: ${await answer.text()}`);
    void this.read(answer)
      .catch(() => undefined)
      .finally(() => (this.isOver = true));
    return this;
  }

  leave(): void {
    this.leaving.abort();
  }

  of(kind: string): Json[] {
    const found = this.frames.filter(({ method }) => method === `notifications/events/${kind}`);
    return found.map(({ params = {} }) => params);
  }

  private async read({ body }: Response): Promise<void> {
    let text = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.frames.push(JSON.parse(part.slice('data: '.length)) as Rpc);
    }
  }
}

/** An agent that is told of events at `POST /public/mcp/latest`. */
export class EventsAgent {
  constructor(
    private readonly product: Product,
    private readonly key: string,
  ) {}

  /** @throws Error for any status but 200 */
  async ask(method: string, params: Json = {}): Promise<Rpc> {
    const answer: Answer = await send(this.url, this.requestOf(method, params));
    if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as Rpc;
  }

  stream(params: Json): Promise<EventStream> {
    return new EventStream().open(this.url, this.requestOf('events/stream', params));
  }

  private get url(): string {
    return `${this.product.baseUrl}/mcp/latest`;
  }

  private requestOf(method: string, params: Json) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      headers: {
        ...{ 'X-Api-Key': this.key, 'Content-Type': 'application/json', 'Mcp-Method': method },
        ...{ 'MCP-Protocol-Version': revision, Accept: 'application/json, text/event-stream' },
      },
    };
  }
}
