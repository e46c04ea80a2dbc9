import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { Carrier } from './carrier.js';

/** The reference: a hop over HTTP/1.1 with `node:http` and keep-alive connections. */
export const http: Carrier = {
  async serve(_place, answer) {
    const server = createServer((incoming, outgoing) => {
      void bodyOf(incoming)
        .then(answer)
        .then((reply) => {
          outgoing.writeHead(200, { 'content-length': reply.length }).end(reply);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return {
      address: `127.0.0.1:${port}`,
      async close() {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    };
  },

  call({ address }) {
    const [host, port] = (address ?? '').split(':');
    const agent = new Agent({ keepAlive: true });
    const where = { host, port, method: 'POST', path: '/', agent };
    return Promise.resolve({
      async ask(body) {
        const headers = { 'content-length': body.length };
        return bodyOf(
          await new Promise<IncomingMessage>((resolve, reject) => {
            request({ ...where, headers }, resolve)
              .on('error', reject)
              .end(body);
          }),
        );
      },
      close() {
        agent.destroy();
        return Promise.resolve();
      },
    });
  },
};

function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}
