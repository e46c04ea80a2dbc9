import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { MailService, type MailboxOf } from '../../testing/mail-service.js';
import { SmtpDialogue } from '../../testing/smtp-dialogue.js';

const mebibyte = 1024 * 1024;

describe('the LMTP listener', () => {
  let service: MailService;
  let mailbox: MailboxOf;
  let other: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start({ LMTP_PORT: '0' });
  });

  beforeEach(async () => {
    mailbox = await service.mailbox();
    other = await service.mailbox();
  });

  afterAll(() => service.close());

  /** Greets, and gets a 250 for each recipient. */
  const openData = async (...to: readonly string[]): Promise<SmtpDialogue> => {
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    for (const address of to) {
      expect(await lmtp.say(`RCPT TO:<${address}>`)).toBe('250 2.1.5 Accepted');
    }
    expect(await lmtp.say('DATA')).toMatch(/^354 /);
    return lmtp;
  };

  const replies = async (lmtp: SmtpDialogue, count: number): Promise<string[]> => {
    const all: string[] = [];
    for (let i = 0; i < count; i++) all.push(await lmtp.reply());
    return all;
  };

  it('wants LHLO, and offers what SMTP does', async () => {
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    for (const hello of ['HELO', 'EHLO']) {
      expect(await lmtp.say(`${hello} relay.example`)).toMatch(/^500 /);
    }
    expect(await lmtp.say('MAIL FROM:<camille@correspondent.example>')).toMatch(/^503 5\.5\.1 /);
    const greeting = await lmtp.say('LHLO relay.example');
    expect(greeting.split('\r\n').slice(1)).toEqual([
      '250-PIPELINING',
      '250-8BITMIME',
      '250-SMTPUTF8',
      '250-ENHANCEDSTATUSCODES',
      '250 SIZE 52428800',
    ]);
    lmtp.close();
  });

  it('answers for each recipient, once its mailbox has the message', async () => {
    const lmtp = await openData(mailbox.address, other.address);
    lmtp.write('Subject: to both\r\n\r\nbody\r\n.\r\n');
    expect(await replies(lmtp, 2)).toEqual(['250 2.6.0 Message kept', '250 2.6.0 Message kept']);
    for (const box of [mailbox, other]) {
      expect(await service.list(box)).toMatchObject([{ subject: 'to both', messageCount: 1 }]);
    }
    lmtp.close();
  });

  it('answers for each RCPT, though two mean the same mailbox, and delivers once', async () => {
    const { address } = mailbox;
    const lmtp = await openData(address, other.address, address, address.replace('@', '+x@'));
    lmtp.write('Subject: twice\r\n\r\nbody\r\n.\r\n');
    for (const reply of await replies(lmtp, 4)) expect(reply).toMatch(/^250 /);
    expect(await lmtp.say('NOOP')).toMatch(/^250 /);
    expect(await service.count('messages', mailbox)).toBe(1);
    lmtp.close();
  });

  it('answers 451 for the mailbox that it cannot store for, and 250 for the others', async () => {
    await service.admin.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW
      WHEN (NEW.tenant_id = '${mailbox.tenantId}') EXECUTE FUNCTION refuse()`);
    const third = await service.mailbox();
    try {
      const lmtp = await openData(other.address, mailbox.address, third.address);
      lmtp.write('Subject: not for all\r\n\r\nbody\r\n.\r\n');
      expect(await replies(lmtp, 3)).toEqual([
        expect.stringMatching(/^250 2\.6\.0 /),
        expect.stringMatching(/^451 4\.3\.0 /),
        expect.stringMatching(/^250 2\.6\.0 /),
      ]);
      lmtp.close();
    } finally {
      await service.admin.query('DROP FUNCTION refuse CASCADE');
    }
    expect(await service.list(mailbox)).toEqual([]);
    const lmtp = await openData(mailbox.address);
    lmtp.write('Subject: again\r\n\r\nbody\r\n');
    expect(await lmtp.say('.')).toMatch(/^250 /);
    lmtp.close();
  });

  it('takes a hundred recipients, though they are the same one', async () => {
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    for (let i = 0; i < 100; i++) {
      expect(await lmtp.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^250 /);
    }
    expect(await lmtp.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^452 4\.5\.3 /);
    lmtp.close();
  });

  it('forgets the recipients of a transaction that is reset', async () => {
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    await lmtp.say(`RCPT TO:<${mailbox.address}>`);
    await lmtp.say('RSET');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    await lmtp.say(`RCPT TO:<${other.address}>`);
    await lmtp.say('DATA');
    lmtp.write('Subject: for the other\r\n\r\nbody\r\n');
    expect(await lmtp.say('.')).toMatch(/^250 /);
    expect(await lmtp.say('NOOP')).toMatch(/^250 2\.0\.0 /);
    expect(await service.list(mailbox)).toEqual([]);
    lmtp.close();
  });

  it('names its protocol in the trace header (RFC 3848)', async () => {
    const lmtp = await openData(mailbox.address);
    lmtp.write('Subject: traced\r\n\r\nbody\r\n');
    await lmtp.say('.');
    const { rows } = await service.admin.query<{ trace: string }>(
      'SELECT trace FROM raw_messages WHERE tenant_id = $1',
      [mailbox.tenantId],
    );
    expect(rows[0]?.trace).toContain('\tby mx.test with LMTP id ');
    lmtp.close();
  });

  it('refuses a recipient in its place', async () => {
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    expect(await lmtp.say('RCPT TO:<nobody@acme.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await lmtp.say('RCPT TO:<someone@elsewhere.example>')).toMatch(/^550 5\.7\.1 /);
    expect(await lmtp.say('DATA')).toMatch(/^503 5\.5\.1 /);
    lmtp.close();
  });

  it('refuses a message over SIZE, for each recipient', async () => {
    const lmtp = await openData(mailbox.address, other.address, mailbox.address);
    const line = Buffer.from(`${'x'.repeat(1022)}\r\n`);
    const block = Buffer.concat(Array.from({ length: 1024 }, () => line));
    for (let i = 0; i < 51; i++) {
      if (!lmtp.write(block)) await once(lmtp.socket, 'drain');
    }
    lmtp.write('.\r\n');
    for (const reply of await replies(lmtp, 3)) expect(reply).toMatch(/^552 5\.3\.4 /);
    const announced = 'MAIL FROM:<camille@correspondent.example> SIZE=52428801';
    expect(await lmtp.say(announced)).toMatch(/^552 5\.3\.4 /);
    lmtp.close();
  });
});

describe('the LMTP and the SMTP listener', () => {
  it('share the memory for arriving messages', async () => {
    const service = await MailService.start({
      LMTP_PORT: '0',
      SMTP_MEMORY_BYTES: String(mebibyte),
    });
    const mailbox = await service.mailbox();
    const smtp = await SmtpDialogue.openData(service.smtpPort, mailbox.address);
    smtp.write(`${'x'.repeat(1000)}\r\n`.repeat(600));
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    const announced = 'MAIL FROM:<camille@correspondent.example> SIZE=500000';
    let reply = '';
    while (!/^452 4\.3\.1 /.test(reply)) {
      reply = await lmtp.say(announced);
      if (reply.startsWith('250')) await lmtp.say('RSET');
    }
    expect(await smtp.say('.')).toMatch(/^250 /);
    expect(await lmtp.say(announced)).toMatch(/^250 /);
    for (const dialogue of [smtp, lmtp]) dialogue.close();
    await service.close();
  });
});
