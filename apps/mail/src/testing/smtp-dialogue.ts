import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An SMTP conversation by hand, for what no mail client would say. */
export class SmtpDialogue {
  private received = '';
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    socket.on('error', () => undefined).on('close', () => this.wake());
  }

  /** Connects and reads the greeting. */
  static async open(port: number, localAddress = '127.0.0.1'): Promise<SmtpDialogue> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const dialogue = new SmtpDialogue(socket);
    await once(socket, 'connect');
    await dialogue.reply();
    return dialogue;
  }

  /** Connects, and says everything up to the content of a message. */
  static async openData(port: number, to: string): Promise<SmtpDialogue> {
    const dialogue = await SmtpDialogue.open(port);
    await dialogue.say('EHLO correspondent.example');
    await dialogue.say('MAIL FROM:<camille@correspondent.example>');
    await dialogue.say(`RCPT TO:<${to}>`);
    await dialogue.say('DATA');
    return dialogue;
  }

  /** Sends a line and reads the reply to it. */
  say(line: string | Buffer): Promise<string> {
    this.write(Buffer.concat([Buffer.from(line), Buffer.from('\r\n')]));
    return this.reply();
  }

  write(bytes: string | Buffer): boolean {
    return this.socket.write(bytes);
  }

  /** Reads the next reply, with all its lines; what has come when the server closes. */
  async reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.received)?.[0];
      if (whole !== undefined) {
        this.received = this.received.slice(whole.length);
        return whole.trimEnd();
      }
      if (this.socket.destroyed) return `closed ${this.received}`;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close');
  }

  close(): void {
    this.socket.destroy();
  }
}
