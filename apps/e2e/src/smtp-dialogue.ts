import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Product } from './product.js';

const replyTimeoutMs = 240_000;

/** A reply of the server: its code and all its lines. */
export interface Reply {
  readonly code: number;
  readonly text: string;
}

/** Doubles the dots that begin a line, as a client has to (RFC 5321 §4.5.2). */
export const transparent = (raw: Buffer): Buffer =>
  Buffer.from(raw.toString('latin1').replaceAll(/^\./gm, '..'), 'latin1');

/** A hand-written SMTP client, for commands that no mail client sends. */
export class SmtpDialogue {
  private received = '';
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    // A closed connection shows as a missing reply.
    socket.on('error', () => undefined).on('close', () => this.wake());
  }

  /** Connects and reads the greeting. */
  static async open({ smtp }: Pick<Product, 'smtp'>): Promise<SmtpDialogue> {
    const socket = connect(smtp.port, smtp.host);
    await once(socket, 'connect');
    const dialogue = new SmtpDialogue(socket);
    const { code, text } = await dialogue.reply();
    if (code !== 220) throw new Error(`Not greeted: ${text}`);
    return dialogue;
  }

  /** True if the connection is open. */
  get isOpen(): boolean {
    return this.received === '' && this.socket.readable && this.socket.writable;
  }

  /** Offers a message as a mail server does. @returns the code of the first refusal, or the message's */
  static async offer(product: Product, to: string, raw: Buffer): Promise<number> {
    const dialogue = await SmtpDialogue.open(product);
    const from = 'camille@correspondent.example';
    try {
      for (const line of ['EHLO here.example', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
        const { code } = await dialogue.say(line);
        if (code >= 400) return code;
      }
      return (await dialogue.say(Buffer.concat([transparent(raw), Buffer.from('\r\n.')]))).code;
    } finally {
      dialogue.close();
    }
  }

  /** Sends a line and reads the reply to it. */
  say(line: string | Buffer): Promise<Reply> {
    this.socket.write(Buffer.concat([Buffer.from(line), Buffer.from('\r\n')]));
    return this.reply();
  }

  /** Sends a whole message; throws when any of it is refused. */
  async send(from: string, to: readonly string[], raw: Buffer): Promise<void> {
    await this.expect(`MAIL FROM:<${from}>`, 250);
    for (const address of to) await this.expect(`RCPT TO:<${address}>`, 250);
    await this.expect('DATA', 354);
    await this.expect(Buffer.concat([transparent(raw), Buffer.from('\r\n.')]), 250);
  }

  private async expect(line: string | Buffer, code: number): Promise<void> {
    const reply = await this.say(line);
    if (reply.code !== code) throw new Error(`Refused: ${reply.text}`);
  }

  /** Reads the next reply, all lines of it. */
  async reply(): Promise<Reply> {
    const deadline = performance.now() + replyTimeoutMs;
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*(\d{3})(?: .*)?\r\n/.exec(this.received);
      if (whole) {
        this.received = this.received.slice(whole[0].length);
        return { code: Number(whole[1]), text: whole[0] };
      }
      if (this.socket.readableEnded || this.socket.destroyed) {
        throw new Error(`The server closed the connection after: ${this.received}`);
      }
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error('No SMTP reply in time.');
      await this.change(leftMs);
    }
  }

  /** Resolves when data arrived, the connection ended, or the time is up. */
  private change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
