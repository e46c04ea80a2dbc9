import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { obliging, type SmtpMoment, type SmtpScript } from './smtp-script.js';
import { SmtpSession, type SmtpEnvelope } from './smtp-session.js';

/** A message that a scripted server has got whole, with its dot. */
export interface TakenMessage {
  /** As the header has it, with its brackets; null without one. */
  readonly messageId: string | null;
  readonly envelope: SmtpEnvelope;
  /** As it was before its dots were doubled. */
  readonly raw: Buffer;
  readonly connection: number;
  /** The server's answer to it; null if it was no reply. */
  readonly answer: string | null;
}

/**
 * An SMTP server that does as a script says, and remembers every message that it got whole: however it
 * then answered or did not, a real one may have kept it.
 */
export class ScriptedSmtp {
  /** Every message that has come whole, first come first. */
  readonly taken: TakenMessage[] = [];
  /** Every moment there was, in its order: where the client has got to. */
  readonly moments: SmtpMoment[] = [];
  private readonly sockets = new Set<Socket>();
  private connections = 0;
  private messages = 0;

  private constructor(
    private readonly server: Server,
    /** The script of the server; may be changed at any time. */
    public script: SmtpScript,
  ) {
    server.on('connection', (socket) => {
      this.serve(socket);
    });
  }

  /** Listens on a free port of 127.0.0.1, or on the one given. */
  static async listen(script: SmtpScript = obliging, port = 0): Promise<ScriptedSmtp> {
    const server = createServer();
    const scripted = new ScriptedSmtp(server, script);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get port(): number {
    const { port } = this.server.address() as AddressInfo;
    return port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Messages that a correspondent may have got: all that were not refused. */
  get delivered(): readonly TakenMessage[] {
    return this.taken.filter(({ answer }) => answer === null || answer.startsWith('2'));
  }

  /** Message-IDs that were delivered more than once to one recipient, each with how often. */
  get duplicates(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { messageId, envelope } of this.delivered) {
      for (const to of envelope.to) {
        const key = `${messageId} ${to}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return new Map([...counts].filter(([, count]) => count > 1));
  }

  /** Forgets what it has taken, and does as it should again. */
  reset(script: SmtpScript = obliging): void {
    this.taken.length = 0;
    this.moments.length = 0;
    this.script = script;
  }

  /** Closes every connection and the port. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private serve(socket: Socket): void {
    const connection = ++this.connections;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    // A client that breaks off is no fault of the test.
    socket.on('error', () => undefined);
    const session = new SmtpSession(socket, {
      connection,
      act: (moment) => {
        this.moments.push(moment);
        return this.script(moment);
      },
      begin: () => ++this.messages,
      take: (envelope, raw) => this.take({ envelope, raw, connection }),
    });
    // A script that throws is the test's fault: the client is left, and the test finds out.
    session.run().catch(() => socket.destroy());
  }

  private take(
    message: Pick<TakenMessage, 'envelope' | 'raw' | 'connection'>,
  ): (answer: string | null) => void {
    const answered: { answer: string | null } = { answer: null };
    const kept = Object.assign(answered, message, { messageId: messageIdOf(message.raw) });
    this.taken.push(kept);
    return (answer) => {
      kept.answer = answer;
    };
  }
}

function messageIdOf(raw: Buffer): string | null {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.subarray(0, end < 0 ? raw.length : end).toString();
  return /^message-id:\s*(<[^>]*>)/im.exec(header)?.[1] ?? null;
}
