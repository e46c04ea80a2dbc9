import { isIP, type Socket } from 'node:net';
import { Budget, LimitReached } from '@postroom/limits';
import { dial, TargetRefused, type OutboundGuard } from '@postroom/outbound';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { limits } from '../limits.js';
import { logIn, type OutgoingLogin } from './smtp-login.js';

/** A mail server that messages are handed to. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS where the server offers it. */
  readonly secure: boolean;
  /** Null: no login. */
  readonly login: OutgoingLogin | null;
  /** Callers with the same value may share connections: no other has the password, or the mailbox. */
  readonly sharedBy: string | null;
  /** Named by a customer: only what the guard admits is dialled. */
  readonly isGuarded: boolean;
}

/** Time limit for each step of setting up a connection, and for all of them. */
const setUpMs = 15_000;
/** A server that is silent for so long inside a session will not reply any more. */
const silenceMs = 11 * 60_000;
const idleMs = 20_000;

/** There is no connection: nothing of the message was sent. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  /** True if the server refuses these settings permanently (5xx), or may not be dialled. */
  get isForGood(): boolean {
    const { cause } = this;
    if (cause instanceof TargetRefused) return true;
    if (cause instanceof Error && 'isForGood' in cause) return cause.isForGood === true;
    const code = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : 0;
    return code >= 500 && code < 600;
  }
}

/** An idle connection, and how to take it into use. */
interface IdleConnection {
  readonly connection: SMTPConnection;
  readonly wake: () => void;
}

/** The workspace whose message waits for a connection, and until when, in epoch milliseconds. */
export interface ConnectionTurn {
  readonly workspace: string;
  readonly untilMs: number;
}

/** The result of using a connection, and what becomes of the connection. */
export interface ConnectionUse<T> {
  readonly value: T;
  readonly then: 'keep' | 'close' | 'again';
}

const utf8 = new WeakSet<SMTPConnection>();

/** True if the server accepts addresses beyond ASCII (RFC 6531 §3.1). */
export const takesUtf8 = (connection: SMTPConnection): boolean => utf8.has(connection);

/** One server's connections: the idle ones, and the queue for a free one. */
interface ServerPool {
  readonly idle: IdleConnection[];
  readonly queue: Budget<'workspace'>;
}

/**
 * Connections to mail servers, kept for the next message. nodemailer has a pool too, but that one sends
 * a message again by itself, and does not say when the first command of a message is about to leave.
 */
export class SmtpConnections {
  private readonly pools = new Map<string, ServerPool>();
  private readonly stopping = new AbortController();
  private isClosed = false;

  constructor(
    /** Connections at a time to one server. */
    private readonly connectionsMax: number,
    /** The name in EHLO; the machine's name when null. */
    private readonly name: string | null,
    /** Judges the servers that customers name. */
    private readonly guard: OutboundGuard,
  ) {}

  /**
   * Calls `use` with a connection that is ready for a message; once more, with a new one, if an idle
   * connection proves to be closed. Workspaces take turns at a server.
   * @throws NoConnection when there is none in time
   */
  async withConnection<T>(
    server: SmtpServer,
    { workspace, untilMs }: ConnectionTurn,
    use: (connection: SMTPConnection) => Promise<ConnectionUse<T>>,
  ): Promise<T> {
    const pool = this.poolOf(server);
    const { signal } = this.stopping;
    const connected = async (): Promise<T> => {
      const rested = pool.idle.pop();
      if (rested) {
        rested.wake();
        const used = await this.use(pool, rested.connection, use);
        if (used.then !== 'again') return used.value;
      }
      return (await this.use(pool, await this.open(server, untilMs), use)).value;
    };
    try {
      const waitMaxMs = untilMs - Date.now();
      return await pool.queue.runInTurn({ workspace }, connected, { waitMaxMs, signal });
    } catch (error) {
      throw error instanceof LimitReached ? new NoConnection('no connection was free') : error;
    }
  }

  private async use<T>(
    pool: ServerPool,
    connection: SMTPConnection,
    use: (connection: SMTPConnection) => Promise<ConnectionUse<T>>,
  ): Promise<ConnectionUse<T>> {
    try {
      const used = await use(connection);
      if (used.then === 'keep' && !this.isClosed) keepIdle(pool, connection);
      else connection.close();
      return used;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Rejects callers that wait, and later ones. */
  stop(): void {
    this.stopping.abort(new NoConnection('the service stops'));
  }

  /** Closes idle connections; those in use are closed after it. */
  close(): void {
    this.isClosed = true;
    for (const { idle } of this.pools.values()) {
      for (const { connection, wake } of idle.splice(0)) {
        wake();
        connection.close();
      }
    }
  }

  private poolOf(server: SmtpServer): ServerPool {
    const key = JSON.stringify(server);
    const found = this.pools.get(key) ?? {
      idle: [],
      queue: new Budget(limits.serverConnections, this.connectionsMax),
    };
    this.pools.set(key, found);
    return found;
  }

  private async open(server: SmtpServer, untilMs: number): Promise<SMTPConnection> {
    const { login } = server;
    const connection = new SMTPConnection(await this.optionsFor(server, untilMs));
    // Each step reports its own errors; those of an idle connection are ignored.
    connection.on('error', () => undefined);
    try {
      await step(connection, untilMs, (done) => connection.connect(done));
      if (/^250[ -]SMTPUTF8\b/im.test(connection.lastServerResponse || '')) utf8.add(connection);
      if (login) await logIn(connection, login, (command) => step(connection, untilMs, command));
      return connection;
    } catch (cause) {
      connection.close();
      throw new NoConnection(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  private async optionsFor(server: SmtpServer, untilMs: number): Promise<SMTPConnection.Options> {
    const { host, port, secure, login } = server;
    const local = isLoopback(server);
    return {
      ...(server.isGuarded && { connection: await this.dial(server, untilMs) }),
      host,
      port,
      secure,
      // A password is sent without TLS to this machine only.
      requireTLS: login !== null && !local,
      ...(local && { tls: { rejectUnauthorized: false } }),
      ...(this.name !== null && { name: this.name }),
      connectionTimeout: setUpMs,
      greetingTimeout: setUpMs,
      socketTimeout: silenceMs,
      // A server whose reply has no end is disconnected at once.
      maxResponseSize: 64 * 1024,
      socketCloseTimeout: 0,
      allowInternalNetworkInterfaces: true,
    };
  }

  /** A connection to an address that may be dialled at a customer's word. */
  private async dial({ host, port }: SmtpServer, untilMs: number): Promise<Socket> {
    const timeoutMs = Math.max(0, Math.min(setUpMs, untilMs - Date.now()));
    try {
      return await dial(this.guard, { host, port }, AbortSignal.timeout(timeoutMs));
    } catch (cause) {
      throw new NoConnection(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}

/** Keeps a connection idle for a while, or until its server closes it. */
function keepIdle({ idle }: ServerPool, connection: SMTPConnection): void {
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

/** Runs one command until it is answered, the connection breaks or the time is up. */
function step(
  connection: SMTPConnection,
  untilMs: number,
  command: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error | null): void => {
      clearTimeout(timer);
      connection.off('error', finish);
      connection.off('end', ended);
      if (error) reject(error);
      else resolve();
    };
    const ended = (): void => finish(new Error('the connection was closed'));
    const timer = setTimeout(
      () => finish(new Error('too slow')),
      Math.max(0, untilMs - Date.now()),
    );
    connection.once('error', finish);
    connection.once('end', ended);
    command(finish);
  });
}

/** RFC 8314 §3.3 and RFC 6409 §3.1: submission. */
const submissionPorts = { 'smtps:': 465, 'smtp:': 587 };

/** The server that a URL names: `smtp://user:password@host:port`, or `smtps://`. */
export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? submissionPorts[secure ? 'smtps:' : 'smtp:'] : Number(port),
    secure,
    isGuarded: false,
    login:
      username === ''
        ? null
        : fixedLogin(decodeURIComponent(username), decodeURIComponent(password)),
    sharedBy: null,
  };
}

const fixedLogin = (user: string, password: string): OutgoingLogin => ({
  user,
  secret: () => Promise.resolve({ password }),
  refused: () => Promise.resolve(),
});

/** True if the server is on this machine, so that nothing passes over a network. */
const isLoopback = ({ host }: SmtpServer): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
