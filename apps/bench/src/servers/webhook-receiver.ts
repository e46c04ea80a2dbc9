import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { obey } from '../rig/obey.js';
import type { ReceiverOrder, ReceiverReport } from '../webhooks/orders.js';

/** An endpoint that takes all it gets, and never answers at `/hangs`. */
let latencies: number[] = [];

const server = createServer((request, response) => {
  if (request.url === '/hangs') return void request.resume();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(204).end();
    if (request.url !== '/paced') return;
    const { occurredAt } = JSON.parse(Buffer.concat(chunks).toString()) as { occurredAt: string };
    latencies.push(Date.now() - Date.parse(occurredAt));
  });
});

obey(
  async (order: ReceiverOrder): Promise<ReceiverReport> => {
    if (order === 'latencies') {
      const told = latencies;
      latencies = [];
      return { latencies: told };
    }
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port };
  },
  async () => server.closeAllConnections(),
);
