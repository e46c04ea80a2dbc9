import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line between a service and its PostgreSQL that can be watched and cut. */
export interface DatabaseLine {
  /** The database's URL by way of this line. */
  readonly url: string;
  /**
   * Round trips since this was last asked: how often the service spoke after PostgreSQL had. Exact
   * for one connection at a time: the line runs on the service's own event loop, so what leaves in
   * one go is read in one go.
   */
  trips(): number;
  /** From now on nothing that PostgreSQL says arrives. */
  loseAnswers(): void;
  /** Cuts every connection; the next ones are whole again. */
  cut(): void;
  close(): Promise<void>;
}

/** Lays a line to the PostgreSQL of a URL with a host and a port. */
export async function openDatabaseLine(databaseUrl: string): Promise<DatabaseLine> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let trips = 0;
  let losing = false;
  let serverSpoke = true;

  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    const keep = (socket: Socket, other: Socket): void => {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    };
    keep(near, far);
    keep(far, near);
    near.on('data', (chunk: Buffer) => {
      if (serverSpoke) trips += 1;
      serverSpoke = false;
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      serverSpoke = true;
      if (!losing) near.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    losing = false;
  };
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    trips: () => {
      const since = trips;
      trips = 0;
      return since;
    },
    loseAnswers: () => (losing = true),
    cut,
    close: async () => {
      cut();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
