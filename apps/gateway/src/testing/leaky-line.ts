import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A line to a server that can be cut and mended, as networks are. */
export class LeakyLine {
  private readonly sockets = new Set<Socket>();
  private whole = true;

  private constructor(
    private readonly server: Server,
    /** The URL of the server, by this line. */
    readonly url: string,
  ) {}

  static async to(url: string): Promise<LeakyLine> {
    const target = new URL(url);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = new URL(url);
    near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = new LeakyLine(server, near.href);
    server.on('connection', (socket) => {
      line.join(socket, connect(Number(target.port), target.hostname));
    });
    return line;
  }

  cut(): void {
    this.whole = false;
    this.drop();
  }

  mend(): void {
    this.whole = true;
  }

  /** Closes the open connections; a client that reconnects is served. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.drop();
    this.server.close();
  }

  private join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
    if (!this.whole) near.destroy();
  }
}
