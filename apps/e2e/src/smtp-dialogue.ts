import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Product } from './product.js';

const replyTimeoutMs = 30_000;

/** A reply of the server: its code and all its lines. */
export interface Reply {
  readonly code: number;
  readonly text: string;
}

/** An SMTP conversation by hand, for what no mail client would say. */
export class SmtpDialogue {
  private received = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => (this.received += text));
    // A server that closes on us is told from the missing reply.
    socket.on('error', () => undefined);
  }

  /** Connects and reads the greeting. */
  static async open(product: Product): Promise<SmtpDialogue> {
    const socket = connect(product.smtp.port, product.smtp.host);
    await once(socket, 'connect');
    const dialogue = new SmtpDialogue(socket);
    await dialogue.reply();
    return dialogue;
  }

  /** Connects and gets as far as the message's content: greeting, sender, recipient. */
  static async openEnvelope(product: Product, to: string): Promise<SmtpDialogue> {
    const dialogue = await SmtpDialogue.open(product);
    await dialogue.say('EHLO correspondent.example');
    await dialogue.say('MAIL FROM:<camille@correspondent.example>');
    await dialogue.say(`RCPT TO:<${to}>`);
    await dialogue.say('DATA');
    return dialogue;
  }

  /** Sends a line and reads the reply to it. */
  say(line: string | Buffer): Promise<Reply> {
    this.socket.write(Buffer.concat([Buffer.from(line), Buffer.from('\r\n')]));
    return this.reply();
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
      if (performance.now() > deadline) throw new Error('No SMTP reply in time.');
      await Promise.race([
        once(this.socket, 'data'),
        once(this.socket, 'close'),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ]).catch(() => undefined);
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
