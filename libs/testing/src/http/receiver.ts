import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A POST that a receiver got. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
}

/** The answer of a receiver. */
export type Answering = (received: Received, response: ServerResponse) => void;

const taken: Answering = (_received, response) => void response.writeHead(204).end();

/** An endpoint on loopback that keeps what it gets, and answers as a spec says. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answering = taken;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', method = '', headers } = request;
        const received = { path, method, headers, body: Buffer.concat(chunks), atMs: Date.now() };
        receiver.received.push(received);
        receiver.answer(received, response);
      });
      request.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, (server.address() as AddressInfo).port);
    return receiver;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The requests to a path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The event in a body. */
export const eventOf = ({ body }: Received): { id: string; type: string; sequence: number } =>
  JSON.parse(body.toString()) as { id: string; type: string; sequence: number };

export const hashOf = ({ body }: Received): string =>
  createHash('sha256').update(body).digest('hex');
