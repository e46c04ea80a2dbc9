import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { internalDate } from './mail-server.js';

/** A message in a folder of a scripted server. */
export interface HeldMessage {
  readonly uid: number;
  readonly raw: string;
  readonly at: Date;
  /** Another size than it has. */
  readonly saysBytes?: number;
  flags?: readonly string[];
}

/** A folder of a scripted server. */
export interface HeldFolder {
  uidValidity: number;
  uidNext: number;
  messages: HeldMessage[];
  /** RFC 6154, such as `\Sent`. */
  readonly use: string;
}

/** The answer to a command, line by line, or what becomes of the connection instead. */
export type ImapAnswer = readonly string[] | 'drop' | 'silence';

/** Changes the answer to a command: its name, its arguments, and the lines that are to be sent. */
export type ImapScript = (command: string, args: string, lines: string[]) => ImapAnswer;

/** An IMAP server that says what extensions it has (RFC 9051 in what it knows), whose every answer a spec may change. */
export class ScriptedImap {
  readonly folders = new Map<string, HeldFolder>();
  /** Names of the commands that came, in order. */
  readonly commands: string[] = [];
  password = 'secret';
  /** MOVE and UIDPLUS are done as they are said. */
  capabilities = 'IDLE';
  permanentFlags = '\\Seen \\Answered \\*';
  script: ImapScript = (_command, _args, lines) => lines;
  /** Commands at which the connection ends before they are done. */
  refuse: (command: string) => boolean = () => false;
  /** Bytes that are written at a time. */
  pieceBytes = Infinity;
  private readonly sockets = new Set<Socket>();
  private readonly idling = new Map<Socket, HeldFolder>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
      void this.serve(socket);
    });
    for (const [path, use] of folderUses) {
      this.folders.set(path, { uidValidity: 7, uidNext: 1, messages: [], use });
    }
  }

  static async listen(): Promise<ScriptedImap> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedImap(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  folder(path = 'INBOX'): HeldFolder {
    const found = this.folders.get(path);
    if (!found) throw new Error(`no folder ${path}`);
    return found;
  }

  /** Puts a message into a folder, and tells clients that idle there. */
  deliver(
    raw: string,
    { path = 'INBOX', at = new Date(), ...given }: Partial<HeldMessage> & { path?: string } = {},
  ): number {
    const folder = this.folder(path);
    const uid = folder.uidNext;
    folder.uidNext += 1;
    folder.messages.push({ uid, raw, at, ...given });
    for (const [socket, open] of this.idling) {
      if (open === folder) socket.write(`* ${folder.messages.length} EXISTS\r\n`);
    }
    return uid;
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(socket: Socket): Promise<void> {
    const session: Session = { folder: null };
    socket.write('* OK ready\r\n');
    try {
      for await (const line of linesOf(socket)) {
        if (line.toUpperCase() === 'DONE') {
          this.idling.delete(socket);
          await this.write(socket, [`${session.idleTag ?? ''} OK done`]);
          continue;
        }
        await this.answer(socket, session, line);
      }
    } catch {
      // The client is gone.
    }
    this.idling.delete(socket);
  }

  private async answer(socket: Socket, session: Session, line: string): Promise<void> {
    const [tag = '', first = '', ...rest] = line.split(' ');
    const isUid = first.toUpperCase() === 'UID';
    const command = (isUid ? `UID ${rest.shift() ?? ''}` : first).toUpperCase();
    const args = rest.join(' ');
    this.commands.push(command);
    if (this.refuse(command)) return void socket.destroy();
    const lines = this.told(session, command, args);
    const end = this.endOf(session, command, args);
    if (command === 'IDLE') {
      session.idleTag = tag;
      if (session.folder) this.idling.set(socket, session.folder);
      return this.write(socket, ['+ idling', ...lines]);
    }
    const answer = this.script(command, args, [...lines, `${tag} ${end}`]);
    if (answer === 'drop') return void socket.destroy();
    if (answer !== 'silence') await this.write(socket, answer);
  }

  private endOf(session: Session, command: string, args: string): string {
    const isRefused = command === 'LOGIN' && !args.includes(this.password);
    const { code = '' } = session;
    session.code = '';
    return isRefused ? 'NO [AUTHENTICATIONFAILED] wrong' : `OK ${code}done`;
  }

  private async write(socket: Socket, lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1');
    for (let at = 0; at < bytes.length; at += this.pieceBytes) {
      socket.write(bytes.subarray(at, at + this.pieceBytes));
      if (this.pieceBytes < bytes.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private told(session: Session, command: string, args: string): string[] {
    const isAsking = command === 'IDLE' || command === 'NOOP';
    return isAsking ? newsOf(session) : this.linesFor(session, command, args);
  }

  private linesFor(session: Session, command: string, args: string): string[] {
    switch (command) {
      case 'CAPABILITY':
        return [`* CAPABILITY IMAP4rev1 ${this.capabilities}`];
      case 'LIST':
        if (args.endsWith('""')) return ['* LIST (\\Noselect) "/" ""'];
        return [...this.folders].map(([path, { use }]) => `* LIST (${use}) "/" "${path}"`);
      case 'STATUS': {
        const path = quotedIn(args);
        const { messages, uidNext, uidValidity } = this.folder(path);
        const told = `MESSAGES ${messages.length} UIDNEXT ${uidNext} UIDVALIDITY ${uidValidity}`;
        return [`* STATUS "${path}" (${told})`];
      }
      case 'SELECT': {
        session.folder = this.folder(quotedIn(args));
        session.told = session.folder.messages.length;
        const { messages, uidNext, uidValidity } = session.folder;
        return [
          ...['* FLAGS (\\Seen)', `* OK [PERMANENTFLAGS (${this.permanentFlags})] kept`],
          `* ${messages.length} EXISTS`,
          ...[`* OK [UIDVALIDITY ${uidValidity}] valid`, `* OK [UIDNEXT ${uidNext}] next`],
        ];
      }
      case 'UID SEARCH':
        return [
          `* SEARCH ${chosen(session, args)
            .map(({ uid }) => uid)
            .join(' ')}`.trimEnd(),
        ];
      case 'UID FETCH':
        return chosen(session, args).map((message) => fetched(session, message, args));
      default:
        return this.changed(session, command, args);
    }
  }

  private changed(session: Session, command: string, args: string): string[] {
    switch (command) {
      case 'UID STORE':
        for (const message of chosen(session, args)) message.flags = storedFlags(message, args);
        return [];
      case 'UID COPY':
      case 'UID MOVE':
        return this.copied(session, args, command === 'UID MOVE');
      case 'UID EXPUNGE':
        return expunged(session, (message) => chosen(session, args).includes(message));
      default:
        return [];
    }
  }

  private copied(session: Session, args: string, isMoved: boolean): string[] {
    const path = (args.split(' ')[1] ?? '').replaceAll('"', '');
    const to = this.folder(path);
    const messages = chosen(session, args);
    const pairs = messages.map((message) => {
      const uid = to.uidNext;
      to.uidNext += 1;
      to.messages.push({ ...message, uid });
      return [message.uid, uid] as const;
    });
    const sets = [0, 1].map((at) => pairs.map((pair) => pair[at]).join(',')).join(' ');
    const isTold = this.capabilities.includes('UIDPLUS') && pairs.length > 0;
    session.code = isTold ? `[COPYUID ${to.uidValidity} ${sets}] ` : '';
    return isMoved ? expunged(session, (message) => messages.includes(message)) : [];
  }
}

/** Removes messages of the open folder, and tells their places. */
function expunged({ folder }: Session, isGone: (message: HeldMessage) => boolean): string[] {
  if (!folder) return [];
  const places = folder.messages.flatMap((message, at) => (isGone(message) ? [at + 1] : []));
  folder.messages = folder.messages.filter((message) => !isGone(message));
  return places.toReversed().map((place) => `* ${place} EXPUNGE`);
}

function storedFlags({ flags = [] }: HeldMessage, args: string): readonly string[] {
  const given = (/\(([^)]*)\)/.exec(args)?.[1] ?? '').split(' ').filter(Boolean);
  const others = flags.filter((flag) => !given.includes(flag));
  return args.includes(' -FLAGS') ? others : [...others, ...given];
}

interface Session {
  folder: HeldFolder | null;
  /** Messages of it that the client knows of. */
  told?: number;
  idleTag?: string;
  /** The response code of the command that is answered. */
  code?: string;
}

/** Tells of messages that came since the folder was opened, which no client may miss. */
function newsOf(session: Session): string[] {
  const now = session.folder?.messages.length;
  if (now === undefined || now === session.told) return [];
  session.told = now;
  return [`* ${now} EXISTS`];
}

const folderUses = [
  ...([
    ['INBOX', ''],
    ['Sent', '\\Sent'],
    ['Archive', '\\Archive'],
  ] as const),
  ...([
    ['Trash', '\\Trash'],
    ['Junk', '\\Junk'],
  ] as const),
];

const quotedIn = (args: string): string => (args.split(' ')[0] ?? '').replaceAll('"', '');

/** The messages of a sequence set, which is the first argument, or the one after `UID`. */
function chosen({ folder }: Session, args: string): HeldMessage[] {
  const set = args.replace(/^UID /, '').split(' ')[0] ?? '';
  const ranges = set.split(',').map((range) => {
    const [from = '1', to = from] = range.split(':');
    return [Number(from), to === '*' ? Infinity : Number(to)] as const;
  });
  const messages = folder?.messages ?? [];
  return messages.filter(({ uid }) => ranges.some(([from, to]) => uid >= from && uid <= to));
}

function fetched({ folder }: Session, message: HeldMessage, args: string): string {
  const { uid, raw, at, saysBytes = raw.length, flags = [] } = message;
  const head = raw.slice(0, raw.indexOf('\r\n\r\n') + 4);
  const field = /^message-id:.*\r\n/im.exec(head)?.[0] ?? '';
  const items: readonly (readonly [string, string])[] = [
    ['RFC822.SIZE', `RFC822.SIZE ${saysBytes}`],
    ['INTERNALDATE', `INTERNALDATE "${internalDate(at)}"`],
    ['HEADER.FIELDS', `BODY[HEADER.FIELDS (MESSAGE-ID)] ${literal(`${field}\r\n`)}`],
    ['[HEADER]', `BODY[HEADER] ${literal(head)}`],
    ['BODY.PEEK[]', `BODY[] ${literal(raw)}`],
  ];
  const asked = items.filter(([name]) => args.includes(name)).map(([, item]) => item);
  const place = (folder?.messages.indexOf(message) ?? 0) + 1;
  return `* ${place} FETCH (${[`UID ${uid}`, `FLAGS (${flags.join(' ')})`, ...asked].join(' ')})`;
}

const literal = (text: string): string => `{${text.length}}\r\n${text}`;

async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    const lines = text.split('\r\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}
