import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback, type SmtpServer } from './smtp-server.js';

/** Setting a connection up: each step of it, and all of them. */
const setUpMs = 15_000;
/** A server that is silent so long inside a dialogue will not speak any more. */
const silenceMs = 11 * 60_000;
const idleMs = 20_000;

/** No connection was to be had: nothing of the message was said to anybody. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  /** Whether the server said that it never will be, with these settings (5xx). */
  get isForGood(): boolean {
    const { cause } = this;
    const code = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : 0;
    return code >= 500 && code < 600;
  }
}

/** A connection that waits for the next message, and how to have it back. */
interface Resting {
  readonly connection: SMTPConnection;
  readonly wake: () => void;
}

/** What was done with a connection, and what is then to be done: it serves the next, or not. */
export interface Used<T> {
  readonly value: T;
  readonly then: 'keep' | 'close' | 'again';
}

const utf8 = new WeakSet<SMTPConnection>();

/** Whether the server takes addresses beyond ASCII (RFC 6531 §3.1). */
export const takesUtf8 = (connection: SMTPConnection): boolean => utf8.has(connection);

interface Place {
  readonly idle: Resting[];
  taken: number;
  readonly waiting: Waiting[];
}

/** Somebody who waits for a connection to be free. */
interface Waiting {
  readonly enter: () => void;
  readonly fail: (said: string) => void;
}

/**
 * Connections to mail servers, kept for the next message. nodemailer has a pool too, but that one sends
 * a message again by itself, and does not say when the first command of a message is about to leave.
 */
export class SmtpConnections {
  private readonly places = new Map<string, Place>();
  private isStopped = false;
  private isClosed = false;

  constructor(
    /** At a time, to one server. */
    private readonly connectionsMax: number,
    /** What this machine calls itself; its own name when null. */
    private readonly name: string | null,
  ) {}

  /**
   * Runs `use` with a connection that waits for a message; once more, with a new one, where it finds
   * that a connection which had rested was closed.
   * @throws NoConnection when there is none in time
   */
  async with<T>(
    server: SmtpServer,
    untilMs: number,
    use: (connection: SMTPConnection) => Promise<Used<T>>,
  ): Promise<T> {
    const place = this.placeOf(server);
    await this.enter(place, untilMs);
    try {
      const rested = place.idle.pop();
      if (rested) {
        rested.wake();
        const used = await this.use(place, rested.connection, use);
        if (used.then !== 'again') return used.value;
      }
      return (await this.use(place, await this.open(server, untilMs), use)).value;
    } finally {
      this.leave(place);
    }
  }

  private async use<T>(
    place: Place,
    connection: SMTPConnection,
    use: (connection: SMTPConnection) => Promise<Used<T>>,
  ): Promise<Used<T>> {
    try {
      const used = await use(connection);
      if (used.then === 'keep' && !this.isClosed) rest(place, connection);
      else connection.close();
      return used;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Nobody waits any more, and nobody who comes now gets a connection. */
  stop(): void {
    this.isStopped = true;
    for (const { waiting } of this.places.values()) {
      for (const one of [...waiting]) one.fail('the service stops');
    }
  }

  /** Ends what rests; what is in use is closed when it is given back. */
  close(): void {
    this.isClosed = true;
    for (const { idle } of this.places.values()) {
      for (const { connection, wake } of idle.splice(0)) {
        wake();
        connection.close();
      }
    }
  }

  private placeOf(server: SmtpServer): Place {
    const key = JSON.stringify(server);
    const found = this.places.get(key) ?? { idle: [], taken: 0, waiting: [] };
    this.places.set(key, found);
    return found;
  }

  private async enter(place: Place, untilMs: number): Promise<void> {
    if (this.isStopped) throw new NoConnection('the service stops');
    if (place.taken < this.connectionsMax) {
      place.taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
        fail: (said) => {
          clearTimeout(timer);
          place.waiting.splice(place.waiting.indexOf(waiting), 1);
          reject(new NoConnection(said));
        },
      };
      const tooLate = (): void => waiting.fail('no connection was free');
      const timer = setTimeout(tooLate, Math.max(0, untilMs - Date.now()));
      place.waiting.push(waiting);
    });
  }

  /** The place is handed on, so that nobody who comes later overtakes. */
  private leave(place: Place): void {
    const next = place.waiting.shift();
    if (next) next.enter();
    else place.taken -= 1;
  }

  private async open(server: SmtpServer, untilMs: number): Promise<SMTPConnection> {
    const { host, port, secure, user, password } = server;
    const local = isLoopback(server);
    const connection = new SMTPConnection({
      host,
      port,
      secure,
      // A password is said to nobody else.
      requireTLS: user !== null && !local,
      ...(local && { tls: { rejectUnauthorized: false } }),
      ...(this.name !== null && { name: this.name }),
      connectionTimeout: setUpMs,
      greetingTimeout: setUpMs,
      socketTimeout: silenceMs,
      // A server that will not stop speaking is left, at once.
      maxResponseSize: 64 * 1024,
      socketCloseTimeout: 0,
      allowInternalNetworkInterfaces: true,
    });
    // Told to whoever waits for it; of one that rests, nobody does.
    connection.on('error', () => undefined);
    try {
      await step(connection, untilMs, (done) => connection.connect(done));
      if (/^250[ -]SMTPUTF8\b/im.test(connection.lastServerResponse || '')) utf8.add(connection);
      if (user !== null) {
        const credentials = { user, pass: password ?? '' };
        await step(connection, untilMs, (done) => connection.login({ credentials }, done));
      }
      return connection;
    } catch (cause) {
      connection.close();
      throw new NoConnection(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}

/** Lets a connection wait, a while, or until its server closes it. */
function rest({ idle }: Place, connection: SMTPConnection): void {
  const go = (): void => {
    const at = idle.findIndex((one) => one.connection === connection);
    if (at >= 0) idle.splice(at, 1);
    wake();
  };
  const leave = (): void => {
    go();
    connection.quit();
  };
  const timer = setTimeout(leave, idleMs).unref();
  const wake = (): void => {
    clearTimeout(timer);
    connection.off('end', go);
  };
  connection.once('end', go);
  idle.push({ connection, wake });
}

/** One command, until it is answered, the connection breaks or time is up. */
function step(
  connection: SMTPConnection,
  untilMs: number,
  command: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      clearTimeout(timer);
      connection.off('error', settle);
      connection.off('end', ended);
      if (error) reject(error);
      else resolve();
    };
    const ended = (): void => settle(new Error('the connection was closed'));
    const timer = setTimeout(
      () => settle(new Error('too slow')),
      Math.max(0, untilMs - Date.now()),
    );
    connection.once('error', settle);
    connection.once('end', ended);
    command(settle);
  });
}
