import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { conversations, type ConversationAnswer, type Message } from '@postroom/contracts';
import type { NameServer } from '@postroom/testing';
import { MailService, type MailboxOf } from '../../testing/mail-service.js';
import { aSigningDomain, mailBytes, namesOf } from '../../testing/name-records.js';
import { SmtpDialogue } from '../../testing/smtp-dialogue.js';

const bank = aSigningDomain('bank.example');
const letter = { from: 'Bank <service@bank.example>', to: 'x@acme.test', text: 'Hello\r\n' };
const nobodyLooked = { spf: null, dkim: null, dmarc: null };

/** The newest message of a mailbox, as the API shows it. */
async function newest(service: MailService, mailbox: MailboxOf): Promise<Message> {
  const [item] = await service.list(mailbox, 1);
  const input = { id: item?.id ?? '', mailbox: mailbox.address };
  const options = { caller: mailbox.caller };
  const { body } = await service.call<ConversationAnswer>(conversations.get, input, options);
  const message = body.conversation.messages.at(-1);
  if (!message) throw new Error('no message');
  return message;
}

/** Hands a message over, and answers it as the API shows it. */
async function received(
  service: MailService,
  raw: Buffer,
  { hello = 'EHLO', port = service.smtpPort } = {},
): Promise<Message> {
  const mailbox = await service.mailbox();
  const smtp = await SmtpDialogue.open(port);
  try {
    await smtp.say(`${hello} mail.bank.example`);
    await smtp.say('MAIL FROM:<service@bank.example>');
    await smtp.say(`RCPT TO:<${mailbox.address}>`);
    await smtp.say('DATA');
    expect(await smtp.say(`${raw.toString('latin1')}\r\n.`)).toMatch(/^250 /);
  } finally {
    smtp.close();
  }
  return newest(service, mailbox);
}

describe('mail that arrives by SMTP', () => {
  let names: NameServer;
  let service: MailService;

  beforeAll(async () => {
    names = await namesOf({ ...bank.record, '_dmarc.bank.example': ['v=DMARC1; p=reject'] });
    service = await MailService.start({
      LMTP_PORT: '0',
      MAIL_AUTH: 'on',
      MAIL_AUTH_DNS_SERVERS: names.address,
    });
  });

  afterAll(async () => {
    await service.close();
    names.close();
  });

  it('says that its author’s domain signed it', async () => {
    const { auth, trust } = await received(service, await mailBytes(letter, bank));
    expect(auth).toEqual({ spf: 'none', dkim: 'pass', dmarc: 'pass' });
    expect(trust).toEqual({ level: 'ordinary', reasons: [] });
  });

  it('is kept though it is forged, and its trust says so', async () => {
    const { auth, trust } = await received(service, await mailBytes(letter));
    expect(auth).toEqual({ spf: 'none', dkim: 'none', dmarc: 'fail' });
    expect(trust).toEqual({ level: 'caution', reasons: ['auth_failed'] });
  });

  it('is not checked when it comes by LMTP, from a server that has done so', async () => {
    const how = { hello: 'LHLO', port: service.lmtpPort };
    const { auth, trust } = await received(service, await mailBytes(letter), how);
    expect(auth).toEqual(nobodyLooked);
    expect(trust).toEqual({ level: 'ordinary', reasons: [] });
  });
});

describe('mail that arrives by SMTP, without an answer of name servers', () => {
  it('is accepted once its time is over, and unknown', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const service = await MailService.start({
      MAIL_AUTH: 'on',
      MAIL_AUTH_DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
      // The default is 4 s of the five; this leaves the rest to a busy machine.
      MAIL_AUTH_TIMEOUT: '500ms',
    });
    try {
      const { auth, trust } = await received(service, await mailBytes(letter, bank));
      expect(auth).toEqual({ spf: 'none', dkim: 'temperror', dmarc: 'temperror' });
      expect(trust).toEqual({ level: 'ordinary', reasons: [] });
    } finally {
      await service.close();
      silent.close();
    }
  });
});

describe('mail that arrives by SMTP, where it is not to be checked', () => {
  it('says that nobody looked', async () => {
    const service = await MailService.start({ MAIL_AUTH: 'off' });
    try {
      expect((await received(service, await mailBytes(letter))).auth).toEqual(nobodyLooked);
    } finally {
      await service.close();
    }
  });
});
