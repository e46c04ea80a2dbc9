import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A line to a server that may fall silent without an end, as a host that vanished does. */
export class SilentLine {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The URL of the server, by this line. */
    readonly url: string,
  ) {}

  static async to(url: string): Promise<SilentLine> {
    const target = new URL(url);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = new URL(url);
    near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = new SilentLine(server, near.href);
    server.on('connection', (socket) => {
      const far = connect(Number(target.port), target.hostname);
      for (const end of [socket, far]) line.sockets.add(end.on('error', () => undefined));
      socket.pipe(far).pipe(socket);
    });
    return line;
  }

  /** Silences every present connection; a new one is served. */
  silence(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
