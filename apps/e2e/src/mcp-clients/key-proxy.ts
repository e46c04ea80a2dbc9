import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/**
 * A loopback proxy that adds the key: the conformance suite has no way to give a header. A page of the proxy is one of the
 * product.
 */
export async function keyProxy(
  target: string,
  key: string,
): Promise<{ url: string; server: Server }> {
  const { hostname, port, pathname, host, origin } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method } = incoming;
    const headers = { ...incoming.headers, host, 'x-api-key': key };
    if (headers.origin === own) headers.origin = origin;
    const options = { hostname, port, path: pathname, method, headers };
    const passed = request(options, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${own}/mcp`, server };
}
