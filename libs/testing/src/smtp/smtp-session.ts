import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Incoming } from './incoming.js';
import type { SmtpAct, SmtpMoment, SmtpStage } from './smtp-script.js';

/** The recipients of a message that the server accepted. */
export interface SmtpEnvelope {
  readonly from: string;
  /** Accepted recipients, in their order. */
  readonly to: readonly string[];
}

/** The callbacks of a session to its server. */
export interface SmtpHost {
  readonly connection: number;
  act(moment: SmtpMoment): SmtpAct | undefined;
  /** The number of a message that begins. */
  begin(): number;
  /** A message that has come whole, and how to say what it was answered. */
  take(envelope: SmtpEnvelope, raw: Buffer): (answer: string | null) => void;
}

/** The course after an act: as usual, with a refusal, or not at all. */
type Turn = 'well' | 'refused' | 'over';

const extensions = ['8BITMIME', 'SMTPUTF8', 'SIZE 52428800', 'AUTH PLAIN LOGIN'];
const hello = ['250-scripted.test', ...extensions.map((one) => `250-${one}`), '250 HELP'];
const isRefusal = (reply: string): boolean => /^[45]/.test(reply);
const addressOf = (command: string): string => /<([^>]*)>/.exec(command)?.[1] ?? '';
const verbOf = (line: string): string => (line.split(/[ :]/, 1)[0] ?? '').toUpperCase();

/** One connection of a scripted server. */
export class SmtpSession {
  private readonly incoming: Incoming;
  private message = 0;
  private from: string | null = null;
  private to: string[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly host: SmtpHost,
  ) {
    this.incoming = new Incoming(socket);
  }

  /** Speaks until the client or the script ends it. */
  async run(): Promise<void> {
    let turn = await this.answer('connect', '220 scripted.test ESMTP');
    while (turn !== 'over') {
      const line = await this.incoming.line();
      turn = line === null ? this.close() : await this.obey(verbOf(line), line);
    }
  }

  private async obey(verb: string, line: string): Promise<Turn> {
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        return this.answer('ehlo', hello.join('\r\n'));
      case 'AUTH':
        return this.authenticate(line);
      case 'MAIL':
        return this.mail(addressOf(line));
      case 'RCPT':
        return this.recipient(addressOf(line));
      case 'DATA':
        return this.data();
      case 'RSET':
        this.forget();
        return this.say('250 2.0.0 Forgotten');
      case 'NOOP':
        return this.say('250 2.0.0 Still here');
      case 'QUIT':
        await this.answer('quit', '221 2.0.0 Bye');
        return this.close();
      default:
        return this.say('500 5.5.1 What?');
    }
  }

  /** Whatever the credentials are, they are right; a client without an initial response is asked. */
  private async authenticate(line: string): Promise<Turn> {
    const [, mechanism = '', initial] = line.split(' ');
    const questions = mechanism.toUpperCase() === 'LOGIN' ? 2 : 1;
    for (let asked = initial === undefined ? 0 : 1; asked < questions; asked++) {
      await this.say('334 ');
      if ((await this.incoming.line()) === null) return this.close();
    }
    return this.answer('auth', '235 2.7.0 Welcome', initial);
  }

  private async mail(from: string): Promise<Turn> {
    this.forget();
    this.message = this.host.begin();
    const turn = await this.answer('mail', '250 2.1.0 Sender taken', from);
    if (turn === 'well') this.from = from;
    return turn;
  }

  private async recipient(to: string): Promise<Turn> {
    if (this.from === null) return this.say('503 5.5.1 No sender');
    const turn = await this.answer('rcpt', '250 2.1.5 Recipient taken', to);
    if (turn === 'well') this.to.push(to);
    return turn;
  }

  private async data(): Promise<Turn> {
    const { from, to } = this;
    if (from === null || to.length === 0) return this.say('503 5.5.1 No recipient');
    const turn = await this.answer('data', '354 Go ahead');
    if (turn !== 'well') return turn;
    const raw = await this.body();
    if (raw === null) return this.close();
    const answered = this.host.take({ from, to }, raw);
    this.forget();
    return this.decide(answered);
  }

  private async body(): Promise<Buffer | null> {
    const act = this.actAt('body');
    const stopAt = act && isAfterBytes(act) ? act.afterBytes : Infinity;
    if (act && !isAfterBytes(act) && (await this.perform(act, '')) === 'over') return null;
    const raw = await this.incoming.message(stopAt);
    if (raw !== 'stopped') return raw && withoutStuffing(raw);
    if (act && isAfterBytes(act)) await this.perform(act.then, '');
    return null;
  }

  /** The server records an answer before the client can see it: a test that saw the answer finds the record. */
  private async decide(answered: (answer: string | null) => void): Promise<Turn> {
    const turn = await this.answer('dot', '250 2.0.0 Message taken', '', answered);
    if (turn !== 'well') return turn;
    const act = this.actAt('accepted');
    return act === undefined ? 'well' : this.perform(act, '');
  }

  private answer(
    stage: SmtpStage,
    usual: string,
    argument = '',
    told?: (answer: string) => void,
  ): Promise<Turn> {
    const act = this.actAt(stage, argument);
    return act === undefined ? this.say(usual, told) : this.perform(act, usual, told);
  }

  private actAt(stage: SmtpStage, argument = ''): SmtpAct | undefined {
    const { message } = this;
    return this.host.act({ stage, connection: this.host.connection, message, argument });
  }

  private async perform(
    act: SmtpAct,
    usual: string,
    told?: (answer: string) => void,
  ): Promise<Turn> {
    if (typeof act === 'string') return this.endConnection(act);
    if ('reply' in act) {
      const turn = await this.say(act.reply, told);
      return act.then ? this.endConnection(act.then) : turn;
    }
    if ('raw' in act) return this.write(act.raw);
    if ('drip' in act) return this.drip(act.drip, act.everyMs);
    if ('flood' in act) return this.flood(act.flood);
    if ('afterBytes' in act) return this.endConnection(act.then);
    await ('once' in act ? act.once : sleep(act.afterMs, undefined, { ref: false }));
    return usual === '' ? 'well' : this.say(usual, told);
  }

  private async say(reply: string, told?: (answer: string) => void): Promise<Turn> {
    told?.(reply);
    const turn = await this.write(`${reply}\r\n`);
    return turn === 'well' && isRefusal(reply) ? 'refused' : turn;
  }

  private async write(bytes: string | Uint8Array): Promise<Turn> {
    if (!this.socket.writable) return this.close();
    this.socket.write(bytes);
    return 'well';
  }

  private async drip(text: string, everyMs: number): Promise<Turn> {
    for (const sign of text) {
      if ((await this.write(sign)) === 'over') return 'over';
      await sleep(everyMs, undefined, { ref: false });
    }
    return 'well';
  }

  private async flood(text: string): Promise<Turn> {
    const much = text.repeat(Math.ceil(4_096 / text.length));
    while (this.socket.writable) {
      if (this.socket.write(much)) await sleep(1, undefined, { ref: false });
      else
        await new Promise((resolve) => this.socket.once('drain', resolve).once('close', resolve));
    }
    return this.close();
  }

  private async endConnection(how: 'drop' | 'reset' | 'silence'): Promise<Turn> {
    if (how === 'reset') this.socket.resetAndDestroy();
    else if (how === 'silence') await this.incoming.gone();
    return this.close();
  }

  private close(): Turn {
    this.socket.destroySoon();
    return 'over';
  }

  private forget(): void {
    this.from = null;
    this.to = [];
  }
}

const isAfterBytes = (act: SmtpAct): act is Extract<SmtpAct, { readonly afterBytes: number }> =>
  typeof act === 'object' && 'afterBytes' in act;

/** Dots that the client doubled at the beginning of lines (RFC 5321 §4.5.2) are one again. */
const withoutStuffing = (raw: Buffer): Buffer =>
  Buffer.from(raw.toString('latin1').replaceAll(/(^|\r\n)\.\./g, '$1.'), 'latin1');
