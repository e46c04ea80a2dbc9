import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { javaWith, type OutsideJava } from '../java/outside-java.js';
import { internalDate, type MailServer } from './mail-server.js';

let java: OutsideJava | undefined;

/** GreenMail, where Java and Maven are there. It is fetched when it is first asked for. */
export const greenMail = (): OutsideJava =>
  (java ??= javaWith('com.icegreen:greenmail-standalone:2.1.8'));

const isAnswering = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/**
 * A server that counts no changes and names no folders' use (no CONDSTORE, no SPECIAL-USE). Its mail is in memory, so
 * what fails are its connections, at a proxy before it. Any password is right, and a login makes a user.
 */
export class GreenMail implements MailServer {
  private readonly sockets = new Set<Socket>();
  private readonly writers = new Map<string, Promise<Writer>>();

  private constructor(
    private readonly process: ChildProcess,
    private readonly own: number,
    private readonly proxy: Server,
  ) {
    proxy.on('connection', (client) => this.join(client));
  }

  static async start(): Promise<GreenMail> {
    const own = await freePort();
    const settings = {
      ...{ 'auth.disabled': '', hostname: '127.0.0.1', 'imap.port': own },
      'api.port': await freePort(),
    };
    const options = Object.entries(settings).map(([name, value]) => `-Dgreenmail.${name}=${value}`);
    const main = 'com.icegreen.greenmail.standalone.GreenMailStandaloneRunner';
    const args = ['-Xmx1g', ...options, '-cp', greenMail().classPath, main];
    const process = spawn('java', args, { stdio: 'ignore' });
    for (let tries = 0; tries < 300 && !(await isAnswering(own)); tries += 1) await sleep(100);
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return new GreenMail(process, own, proxy);
  }

  get port(): number {
    return (this.proxy.address() as AddressInfo).port;
  }

  async deliver(
    user: string,
    raw: string,
    { folder = 'INBOX', at = new Date() } = {},
  ): Promise<void> {
    let writer = await this.writers.get(user);
    // The server leaves clients that are silent for a while.
    if (!writer || writer.isOver) {
      const begun = Writer.signIn(this.own, user);
      this.writers.set(user, begun);
      writer = await begun;
    }
    if (folder !== 'INBOX') await writer.command(`CREATE "${folder}"`);
    const date = internalDate(at);
    // RFC 7888: a literal that the server does not wait for.
    await writer.command(`APPEND "${folder}" "${date}" {${Buffer.byteLength(raw)}+}\r\n${raw}`);
  }

  /** Resets all connections, wherever they are. */
  interrupt(): Promise<void> {
    for (const socket of this.sockets) socket.resetAndDestroy();
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.interrupt();
    this.proxy.close();
    for (const writer of this.writers.values()) (await writer).end();
    this.process.kill('SIGKILL');
  }

  private join(client: Socket): void {
    const server = connect(this.own, '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
    }
    client.pipe(server).pipe(client);
  }
}

/** A client that writes messages, one after the other. */
class Writer {
  private last: Promise<unknown> = Promise.resolve();
  private readonly closed: Promise<never>;

  private constructor(
    private readonly socket: Socket,
    private readonly lines: Interface,
  ) {
    this.closed = once(lines, 'close').then(() => {
      throw new Error('GreenMail has closed the connection');
    });
    this.closed.catch(() => undefined);
  }

  static async signIn(port: number, user: string): Promise<Writer> {
    const socket = connect(port, '127.0.0.1');
    const lines = createInterface({ input: socket });
    await once(lines, 'line');
    const writer = new Writer(socket, lines);
    await writer.command(`LOGIN "${user}" "${user}"`);
    return writer;
  }

  get isOver(): boolean {
    return this.socket.readableEnded || this.socket.destroyed;
  }

  /** Sends a command once the one before is answered; what the answer says does not matter. */
  command(text: string): Promise<unknown> {
    this.last = this.last.then(async () => {
      const answered = new Promise<void>((resolve) => {
        const take = (line: string): void => {
          if (!line.startsWith('w ')) return;
          this.lines.off('line', take);
          resolve();
        };
        this.lines.on('line', take);
      });
      this.socket.write(`w ${text}\r\n`);
      await Promise.race([answered, this.closed]);
    });
    return this.last;
  }

  end(): void {
    this.socket.destroy();
  }
}
