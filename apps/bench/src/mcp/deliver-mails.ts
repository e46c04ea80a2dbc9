import { createTransport } from 'nodemailer';

/** Messages that a search finds: more than it answers. */
const messages = 40;

/** Delivers mail about orders, so that there is something to find. */
export async function deliverMails(port: number, mailbox: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  for (let i = 0; i < messages; i += 1) {
    await transport.sendMail({
      from: `Camille Martin <client${i}@example.com>`,
      to: mailbox,
      subject: `Commande n° 2026-${i}`,
      text: 'Bonjour, je reviens vers vous au sujet de la commande passée hier. '.repeat(8),
    });
  }
  transport.close();
}
