import { createTransport, type SendMailOptions } from 'nodemailer';

/** One message of the demo; a reply names the message it answers. */
interface Letter {
  readonly key: string;
  readonly mailbox: 'support' | 'sales';
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly answers?: string;
  readonly attachments?: SendMailOptions['attachments'];
}

/** A picture of one pixel: an attachment whose type is detected from its bytes. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const letters: readonly Letter[] = [
  {
    key: 'invoice',
    mailbox: 'support',
    from: 'Claire Dubois <claire.dubois@example.com>',
    subject: 'Facture n° 2026-118 : TVA erronée',
    text: 'Bonjour,\n\nla TVA de la facture 2026-118 est calculée à 10 % au lieu de 20 %.\nPouvez-vous la corriger ?\n\nMerci,\nClaire Dubois',
  },
  {
    key: 'invoice-again',
    answers: 'invoice',
    mailbox: 'support',
    from: 'Claire Dubois <claire.dubois@example.com>',
    subject: 'Re: Facture n° 2026-118 : TVA erronée',
    text: 'Rebonjour,\n\nvoici une capture de la ligne en question.\n\nClaire',
    attachments: [{ filename: 'capture.png', content: pixel }],
  },
  {
    key: 'sign-in',
    mailbox: 'support',
    from: 'Jonas Lindqvist <jonas@example.org>',
    subject: 'Cannot sign in since this morning',
    text: 'Hello,\n\nsince this morning the sign-in page only says "try again later".\nOur account is lindqvist-ab.\n\nJonas',
  },
  {
    key: 'feature',
    mailbox: 'support',
    from: 'Mariana Souza <mariana@example.net>',
    subject: 'Exporting conversations as CSV',
    text: 'Hi team,\n\nis there a way to export a month of conversations?\n\nThanks, Mariana',
    html: '<p>Hi team,</p><p>is there a way to <b>export</b> a month of conversations?</p><p>Thanks, Mariana</p>',
  },
  {
    key: 'quote',
    mailbox: 'sales',
    from: '田中 健 <tanaka@example.jp>',
    subject: 'お見積りのお願い',
    text: 'はじめまして。\n\n25名での利用のお見積りをお願いいたします。\n\n田中',
  },
  {
    key: 'trial',
    mailbox: 'sales',
    from: 'Priya Raman <priya@example.in>',
    subject: 'Extending our trial',
    text: 'Hello,\n\nour trial ends on Friday, but procurement needs one more week. Could you extend it?\n\nBest, Priya',
  },
  {
    key: 'trial-thanks',
    answers: 'trial',
    mailbox: 'sales',
    from: 'Priya Raman <priya@example.in>',
    subject: 'Re: Extending our trial',
    text: 'One more thing: we will be 40 people, not 30.\n\nPriya',
  },
];

/** Sends the demo's messages to a workspace's mailboxes over SMTP. */
export async function sendDemoMail(
  smtp: { readonly host: string; readonly port: number },
  workspace: string,
): Promise<void> {
  const transport = createTransport({ ...smtp, secure: false, ignoreTLS: true });
  const idOf = (key: string): string => `<${key}@demo.${workspace}.test>`;
  for (const [minute, { key, mailbox, answers, ...letter }] of letters.entries()) {
    // Message-IDs, dates and boundaries are fixed, so that a second seeding yields duplicates only.
    await transport.sendMail({
      ...letter,
      to: `${mailbox}@${workspace}.test`,
      date: new Date(Date.UTC(2026, 0, 5, 9, minute)),
      messageId: idOf(key),
      baseBoundary: `${key}-${workspace}`,
      ...(answers && { inReplyTo: idOf(answers), references: [idOf(answers)] }),
    });
  }
  transport.close();
}
