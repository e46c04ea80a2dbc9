import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { conversations, type ConversationAnswer, type Message } from '@postroom/contracts';
import { isFullRun } from '@postroom/testing/repetitions';
import { Client } from 'pg';
import { MailService, type MailboxOf } from '../../testing/mail-service.js';
import { SmtpDialogue } from '../../testing/smtp-dialogue.js';

const mebibyte = 1024 * 1024;
const replyOf = (error: unknown): unknown =>
  error instanceof Error && 'response' in error ? error.response : error;

/** Runs with a service of its own settings. */
async function withService(
  env: NodeJS.ProcessEnv,
  work: (service: MailService, mailbox: MailboxOf) => Promise<void>,
): Promise<void> {
  const service = await MailService.start(env);
  try {
    await work(service, await service.mailbox());
  } finally {
    await service.close();
  }
}

/** The bytes that are kept of the newest message of a mailbox. */
async function keptBytes(service: MailService, mailbox: MailboxOf): Promise<string> {
  const [item] = await service.list(mailbox, 1);
  const { rows } = await service.admin.query<{ raw: Buffer }>(
    'SELECT raw FROM raw_messages WHERE message = $1',
    [item?.lastMessageId],
  );
  return rows[0]?.raw.toString('latin1') ?? '';
}

describe('the SMTP listener', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });

  afterAll(() => service.close());

  const dialogue = async <T>(work: (smtp: SmtpDialogue) => Promise<T>): Promise<T> => {
    const smtp = await SmtpDialogue.open(service.smtpPort);
    try {
      await smtp.say('EHLO correspondent.example');
      return await work(smtp);
    } finally {
      smtp.close();
    }
  };

  const newest = async (of = mailbox): Promise<Message> => {
    const [item] = await service.list(of, 1);
    const input = { id: item?.id ?? '', mailbox: of.address };
    const options = { caller: of.caller };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, options);
    const message = body.conversation.messages.at(-1);
    if (!message) throw new Error('no message');
    return message;
  };

  it('offers what it can, and neither AUTH nor STARTTLS', async () => {
    const smtp = await SmtpDialogue.open(service.smtpPort);
    const greeting = await smtp.say('EHLO correspondent.example');
    expect(greeting.split('\r\n').slice(1)).toEqual([
      '250-PIPELINING',
      '250-8BITMIME',
      '250-SMTPUTF8',
      '250-ENHANCEDSTATUSCODES',
      '250 SIZE 52428800',
    ]);
    for (const command of ['AUTH PLAIN AAAA', 'STARTTLS', 'XCLIENT ADDR=192.0.2.1', 'WIZ x']) {
      expect(await smtp.say(command)).toMatch(/^500 5\.5\.2 /);
    }
    smtp.close();
  });

  it('answers 250 once the message is in the list', async () => {
    const subject = randomUUID();
    const { response } = await service.send({ to: mailbox.address, subject });
    expect(response).toBe('250 2.6.0 Message kept');
    expect((await service.list(mailbox))[0]).toMatchObject({ subject });
  });

  it('tells what comes from nobody and says that it is returned, whatever its head claims', async () => {
    const box = await service.mailbox();
    for (const [from, bounce] of [
      ['', true],
      ['camille@correspondent.example', false],
    ] as const) {
      await dialogue(async (smtp) => {
        await smtp.say(`MAIL FROM:<${from}>`);
        await smtp.say(`RCPT TO:<${box.address}>`);
        await smtp.say('DATA');
        smtp.write(
          `From: gateway@x.test\r\nSubject: Undeliverable: ${from}\r\n\r\nNobody there\r\n`,
        );
        expect(await smtp.say('.')).toMatch(/^250 /);
      });
      expect(await newest(box)).toMatchObject({ bounce, isAutoReply: from === '' });
    }
  });

  it.each([
    ['ha..na.@docomo.example', 'ha..na.@docomo.example'],
    ['"ha..na."@docomo.example', 'ha..na.@docomo.example'],
    ['.ann@x.example', '.ann@x.example'],
    ['ann@mail_1.x.example', 'ann@mail_1.x.example'],
  ])('takes mail from %s and shows its sender', async (from, email) => {
    await dialogue(async (smtp) => {
      expect(await smtp.say(`MAIL FROM:<${from}>`)).toMatch(/^250 /);
      expect(await smtp.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^250 /);
      await smtp.say('DATA');
      smtp.write(`From: Hana <${from}>\r\nSubject: dots\r\n\r\nx\r\n`);
      expect(await smtp.say('.')).toMatch(/^250 /);
    });
    expect((await newest()).from).toEqual({ email, name: 'Hana' });
  });

  const ann = { email: 'ann@gmail.example', name: 'Ann' };
  const behalf = 'Reply-To: Ann <ann@gmail.example>\r\nX-Original-Sender: ann@gmail.example\r\n';

  it.each([
    ['a group of ours', (own: string) => `From: "'Ann' via S" <${own}>\r\n${behalf}`, ann],
    [
      'a list elsewhere',
      () => `From: L <l@lists.example>\r\nList-Post: <mailto:l@lists.example>\r\n${behalf}`,
      ann,
    ],
    ['neither', () => `From: x@y.example\r\n${behalf}`, { email: 'x@y.example', name: null }],
    ['a form', (own: string) => `From: ${own}\r\nReply-To: Ann <ann@gmail.example>\r\n`, undefined],
    [
      'a form under a name',
      (own: string) => `From: Shop <${own}>\r\nReply-To: "Ann" <ann@gmail.example>\r\n`,
      undefined,
    ],
  ])('tells who wrote through %s, and that they wait', async (_what, head, from) => {
    const box = await service.mailbox();
    const raw = `${head(box.address)}Subject: s\r\nMessage-ID: <${randomUUID()}@x>\r\n\r\nhelp\r\n`;
    await service.send({ envelope: { from: 'l@lists.example', to: box.address }, raw });
    expect((await newest(box)).from).toMatchObject(from ?? { email: box.address });
    const [item] = await service.list(box);
    expect(item?.waitingSince).not.toBeNull();
    expect(item?.participants).toContainEqual(ann);
  });

  it('leaves a head above out only where the messages that are referred to are known', async () => {
    const box = await service.mailbox();
    const text = 'Yes.\n\nFrom: S <s@x.example>\nSent: Monday\nTo: A\n\nOld.\n';
    const about = `<${randomUUID()}@x.example>`;
    await service.send({ to: box.address, subject: 'Order', text, inReplyTo: about });
    expect((await newest(box)).extractedText?.replaceAll('\r', '')).toBe(text);
    await service.send({ to: box.address, subject: 'Order', text, inReplyTo: about });
    expect((await newest(box)).extractedText).toBe('Yes.\n');
  });

  it('takes each form of the address', async () => {
    const { address } = mailbox;
    for (const to of [address.toUpperCase(), address.replace('@', '+shop@')]) {
      const subject = randomUUID();
      await service.send({ to: mailbox.address, subject, envelope: { from: '', to } });
      expect((await service.list(mailbox))[0]).toMatchObject({ subject });
    }
  });

  it('prefers a mailbox that has the sub-address for its name', async () => {
    const address = mailbox.address.replace('@', '+vip@');
    const special = await service.mailbox({ address, tenantId: mailbox.tenantId });
    await service.send({ to: address });
    expect(await service.list(special)).toHaveLength(1);
  });

  it('takes both spellings of an international domain', async () => {
    const local = randomUUID();
    const box = await service.mailbox({ address: `${local}@bücher.test` });
    for (const domain of ['bücher.test', 'xn--bcher-kva.test']) {
      await dialogue(async (smtp) => {
        await smtp.say('MAIL FROM:<zoé@correspondent.example> SMTPUTF8');
        expect(await smtp.say(`RCPT TO:<${local}@${domain}>`)).toBe('250 2.1.5 Accepted');
        await smtp.say('DATA');
        smtp.write('From: zoé@correspondent.example\r\nSubject: Grüße\r\n\r\n日本語\r\n');
        expect(await smtp.say('.')).toMatch(/^250 /);
      });
    }
    expect(await service.list(box)).toHaveLength(2);
    expect(await newest(box)).toMatchObject({
      subject: 'Grüße',
      from: { email: 'zoé@correspondent.example' },
    });
  });

  it('delivers to every recipient, of whatever workspace, before it answers', async () => {
    const others = [
      await service.mailbox({ tenantId: mailbox.tenantId }),
      await service.mailbox(),
      await service.mailbox(),
    ];
    const subject = randomUUID();
    await service.send({ to: others.map(({ address }) => address), subject });
    for (const other of others) expect(await service.list(other)).toMatchObject([{ subject }]);
  });

  it('delivers once to a mailbox that two recipients mean', async () => {
    const box = await service.mailbox();
    await service.send({ to: [box.address, box.address.replace('@', '+x@')], messageId: '' });
    expect(await service.count('messages', box)).toBe(1);
  });

  it('counts a message from the mailbox itself as inbound', async () => {
    const box = await service.mailbox();
    await service.send({ from: box.address, to: box.address });
    expect(await service.list(box)).toMatchObject([
      { from: null, waitingSince: expect.any(String) },
    ]);
    expect(await newest(box)).toMatchObject({ direction: 'inbound' });
  });

  it('keeps what cannot be parsed, and shows it plainly', async () => {
    const box = await service.mailbox();
    const raw = `Subject: deep\r\n${'X-Filler: yes\r\n'.repeat(60_000)}\r\nThe body\r\n`;
    await service.send({ envelope: { from: '', to: box.address }, raw });
    expect(await service.list(box)).toMatchObject([{ subject: 'deep', messageCount: 1 }]);
    const { rows } = await service.admin.query('SELECT parsed FROM messages WHERE tenant_id = $1', [
      box.tenantId,
    ]);
    expect(rows).toEqual([{ parsed: false }]);
  });

  it('logs one line a delivery', async () => {
    const subject = randomUUID();
    const before = service.log.length;
    await service.send({ to: mailbox.address, subject, messageId: '<logged@x.example>' });
    const lines = service.log.slice(before).map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'message received',
        mailbox: mailbox.address,
        from: 'camille@correspondent.example',
        messageId: 'logged@x.example',
        outcome: 'stored',
        conversationId: expect.stringMatching(/^cnv_/),
      }),
    ]);
  });

  describe('refuses a recipient', () => {
    it.each([
      ['that is unknown here', () => `nobody@acme.test`, /^550 5\.1\.1 /],
      ['of a domain that is not ours', () => 'someone@elsewhere.example', /^550 5\.7\.1 /],
      [
        'to be relayed with a percent sign',
        () => 'someone%elsewhere.example@acme.test',
        /^550 5\.1\.1 /,
      ],
      ['of a subdomain of ours', () => 'support@sub.acme.test', /^550 5\.7\.1 /],
      ['with a route', () => '@elsewhere.example:x@acme.test', /^5\d\d /],
      ['with a quoted route', () => '"@elsewhere.example:x@acme.test', /^5\d\d /],
      ['without a domain', () => 'postmaster', /^550 5\.1\.1 /],
      ['that is no address', () => 'not an address', /^501 5\.1\.3 /],
      ['that is empty', () => '', /^501 5\.1\.3 /],
    ])('%s', async (_what, address, reply) => {
      await dialogue(async (smtp) => {
        await smtp.say('MAIL FROM:<camille@correspondent.example>');
        expect(await smtp.say(`RCPT TO:<${address()}>`)).toMatch(reply);
        expect(await smtp.say(`RCPT TO:<${mailbox.address}>`)).toBe('250 2.1.5 Accepted');
      });
    });

    it('beyond the hundredth', async () => {
      await dialogue(async (smtp) => {
        await smtp.say('MAIL FROM:<camille@correspondent.example>');
        for (let i = 0; i < 100; i++) {
          const reply = await smtp.say(`RCPT TO:<${mailbox.address.replace('@', `+${i}@`)}>`);
          expect(reply).toMatch(/^250 /);
        }
        expect(await smtp.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^452 4\.5\.3 /);
      });
    });
  });

  it('refuses parameters that it does not offer, and takes those that it does', async () => {
    await dialogue(async (smtp) => {
      const from = 'MAIL FROM:<camille@correspondent.example>';
      expect(await smtp.say(`${from} SIZE=10 RET=HDRS`)).toMatch(/^555 5\.5\.4 /);
      expect(await smtp.say(`${from} FOO`)).toMatch(/^555 5\.5\.4 /);
      expect(await smtp.say(`${from} SIZE=10 BODY=8BITMIME SMTPUTF8`)).toMatch(/^250 /);
      const to = `RCPT TO:<${mailbox.address}>`;
      expect(await smtp.say(`${to} NOTIFY=NEVER`)).toMatch(/^555 5\.5\.4 /);
      expect(await smtp.say(to)).toMatch(/^250 /);
    });
  });

  describe('refuses a message over SIZE', () => {
    it('when it is announced', async () => {
      await dialogue(async (smtp) => {
        const from = 'MAIL FROM:<camille@correspondent.example>';
        expect(await smtp.say(`${from} SIZE=52428801`)).toMatch(/^552 5\.3\.4 /);
        expect(await smtp.say(`${from} SIZE=52428800`)).toMatch(/^250 /);
      });
    });

    it('of 51 MiB when it has come, and takes the next one', async () => {
      const box = await service.mailbox();
      await dialogue(async (smtp) => {
        const begin = async (): Promise<void> => {
          await smtp.say('MAIL FROM:<camille@correspondent.example>');
          await smtp.say(`RCPT TO:<${box.address}>`);
          await smtp.say('DATA');
        };
        await begin();
        const line = Buffer.from(`${'x'.repeat(1022)}\r\n`);
        const block = Buffer.concat(Array.from({ length: 1024 }, () => line));
        for (let i = 0; i < 51; i++) {
          if (!smtp.write(block)) await once(smtp.socket, 'drain');
        }
        expect(await smtp.say('.')).toMatch(/^552 5\.3\.4 /);
        await begin();
        smtp.write('Subject: small\r\n\r\nbody\r\n');
        expect(await smtp.say('.')).toMatch(/^250 /);
      });
      expect(await service.list(box)).toMatchObject([{ subject: 'small' }]);
    });
  });

  it('takes a message of many MiB', async () => {
    const box = await service.mailbox();
    const fileMebi = isFullRun() ? 29 : 10;
    const content = Buffer.alloc(fileMebi * mebibyte, 'attachment');
    await service.send({ to: box.address, attachments: [{ filename: 'large.bin', content }] });
    // Kept whole, however long a busy machine takes to read it (message-parser.spec.ts).
    expect((await keptBytes(service, box)).length).toBeGreaterThan((4 / 3) * fileMebi * mebibyte);
  });

  describe('keeps the bytes as they were sent', () => {
    it.each([
      [
        'with dots at the start of lines',
        '.\r\n..\r\n...x\r\n. \r\n',
        '..\r\n...\r\n....x\r\n.. \r\n',
      ],
      ['with lines ended by LF alone', 'one\ntwo\n\nthree\n\r\n', null],
      ['with a bare CR', 'one\rtwo\r\n', null],
      ['with an end of message in LF alone', 'one\n.\nMAIL FROM:<evil@x.example>\r\n', null],
      ['with an end of message in a bare CR', 'one\r.\rtwo\r\n', null],
      ['with an end of message half in LF', 'one\n.\r\ntwo\r\n', null],
      ['with an end of message that ends in a bare CR', 'a\r\n.\rb\r\n', null],
      ['with an end of message that ends in LF', 'a\r\n.\nb\r\n', null],
      ['with bytes of no charset', '\xff\xfe\x80\r\n', null],
      ['with a line of 100,000 characters', `${'x'.repeat(100_000)}\r\n`, null],
    ])('%s', async (_what, text, stuffed) => {
      const box = await service.mailbox();
      const head = 'Subject: bytes\r\n\r\n';
      const smtp = await SmtpDialogue.openData(service.smtpPort, box.address);
      smtp.write(Buffer.from(head + (stuffed ?? text), 'latin1'));
      expect(await smtp.say('.')).toMatch(/^250 /);
      smtp.close();
      expect(await keptBytes(service, box)).toBe(head + text);
      expect(await service.count('messages', box)).toBe(1);
    });

    it('byte by byte', async () => {
      const box = await service.mailbox();
      const smtp = await SmtpDialogue.openData(service.smtpPort, box.address);
      const text = 'Subject: slow\r\n\r\n..dot\r\nend\r\n';
      for (const char of text) {
        smtp.write(char);
        await wait(2);
      }
      expect(await smtp.say('.')).toMatch(/^250 /);
      smtp.close();
      expect(await keptBytes(service, box)).toBe(text.replace('..', '.'));
    });
  });

  it('takes a whole session in one packet', async () => {
    const box = await service.mailbox();
    const smtp = await SmtpDialogue.open(service.smtpPort);
    const message = (n: number): string =>
      'MAIL FROM:<camille@correspondent.example>\r\n' +
      `RCPT TO:<${box.address}>\r\nDATA\r\nSubject: no. ${n}\r\n\r\nbody\r\n.\r\n`;
    smtp.write(`EHLO correspondent.example\r\n${message(1)}${message(2)}QUIT\r\n`);
    const codes: string[] = [];
    for (let i = 0; i < 10; i++) codes.push((await smtp.reply()).slice(0, 3));
    expect(codes.join(' ')).toBe('250 250 250 354 250 250 250 354 250 221');
    await smtp.closed();
    expect((await service.list(box)).map(({ subject }) => subject)).toEqual(['no. 2', 'no. 1']);
  });

  it('keeps nothing of a client that breaks off in the middle of a message', async () => {
    const box = await service.mailbox();
    const smtp = await SmtpDialogue.openData(service.smtpPort, box.address);
    smtp.write('Subject: half\r\n\r\nthe first half');
    smtp.close();
    await service.send({ to: box.address, subject: 'whole' });
    expect(await service.list(box)).toMatchObject([{ subject: 'whole' }]);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /^500 /],
    ['what is no command', 'HELLO there', /^500 5\.5\.2 /],
    ['bytes', Buffer.from([0, 255, 254, 1, 2, 3]), /^500 /],
    ['HTTP', 'GET / HTTP/1.1', /^421 /],
    ['EHLO without a name', 'EHLO', /^501 /],
    ['MAIL before EHLO', 'MAIL FROM:<a@x.example>', /^503 5\.5\.1 /],
    ['DATA before EHLO', 'DATA', /^503 5\.5\.1 /],
    ['a command of 20,000 characters', `NOOP ${'x'.repeat(20_000)}`, /^421 /],
    ['a prototype', '__proto__', /^500 /],
  ])('survives %s', async (_what, line, reply) => {
    const smtp = await SmtpDialogue.open(service.smtpPort);
    expect(await smtp.say(line)).toMatch(reply);
    smtp.close();
    expect((await service.send({ to: mailbox.address })).response).toMatch(/^250 /);
  });

  it.each([
    ['MAIL FROM:a@x.example', /^501 5\.1\.7 /],
    ['MAIL FROM:<a@x.example> SIZE=x', /^501 5\.5\.4 /],
    ['MAIL FROM:<a@x.example> SIZE=-1', /^501 5\.5\.4 /],
    ['MAIL FROM:<a@x.example> BODY=BINARYMIME', /^501 5\.5\.4 /],
    ['MAIL FROM:<a\x00@x.example>', /^501 5\.1\.7 /],
    ['RCPT TO:<a@x.example>', /^503 5\.5\.1 /],
    ['DATA', /^503 5\.5\.1 /],
  ])('refuses %j in its place', async (line, reply) => {
    await dialogue(async (smtp) => expect(await smtp.say(line)).toMatch(reply));
  });

  it('does not count a RCPT that was refused as one to deliver to', async () => {
    await dialogue(async (smtp) => {
      await smtp.say('MAIL FROM:<camille@correspondent.example>');
      await smtp.say('RCPT TO:<nobody@acme.test>');
      expect(await smtp.say('DATA')).toMatch(/^503 5\.5\.1 /);
    });
  });

  it('answers 451 while it cannot store, and takes the message when it can', async () => {
    const url = new URL(service.database.adminUrl);
    const name = decodeURIComponent(url.pathname.slice(1));
    url.pathname = '/postgres';
    const elsewhere = new Client({ connectionString: url.href });
    const box = await service.mailbox();
    const smtp = await SmtpDialogue.openData(service.smtpPort, box.address);
    await elsewhere.connect();
    try {
      await elsewhere.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
      await elsewhere.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND usename = 'postroom_mail'`,
        [name],
      );
      smtp.write('Subject: later\r\n\r\nbody\r\n');
      expect(await smtp.say('.')).toMatch(/^451 4\.3\.0 /);
      await smtp.say('MAIL FROM:<camille@correspondent.example>');
      expect(await smtp.say(`RCPT TO:<${box.address}>`)).toMatch(/^451 4\.3\.0 /);
    } finally {
      await elsewhere.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
      await elsewhere.end();
    }
    expect(await smtp.say(`RCPT TO:<${box.address}>`)).toMatch(/^250 /);
    await smtp.say('DATA');
    smtp.write('Subject: later\r\n\r\nbody\r\n');
    expect(await smtp.say('.')).toMatch(/^250 /);
    smtp.close();
    expect(await service.list(box)).toMatchObject([{ subject: 'later' }]);
  });

  it('takes thirty messages at once from thirty connections', async () => {
    const box = await service.mailbox();
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => service.send({ to: box.address, subject: `No. ${i}` })),
    );
    expect(await service.list(box)).toHaveLength(30);
  });
});

describe('an SMTP client', () => {
  it('that says nothing is told 421 and cut off', async () => {
    await withService({ SMTP_IDLE_TIMEOUT: '2s' }, async (service, mailbox) => {
      const idle = await SmtpDialogue.open(service.smtpPort);
      const inData = await SmtpDialogue.openData(service.smtpPort, mailbox.address);
      for (const smtp of [idle, inData]) {
        expect(await smtp.reply()).toMatch(/^421 4\.4\.2 /);
        await smtp.closed();
      }
      expect(await service.list(mailbox)).toEqual([]);
    });
  });

  it('that keeps a message going without end is told 421 and cut off', async () => {
    const env = { SMTP_IDLE_TIMEOUT: '5s', SMTP_TRANSFER_TIMEOUT: '500ms' };
    await withService(env, async (service, mailbox) => {
      const smtp = await SmtpDialogue.openData(service.smtpPort, mailbox.address);
      const trickle = setInterval(() => smtp.write('x'), 50);
      expect(await smtp.reply()).toMatch(/^421 4\.4\.2 /);
      await smtp.closed();
      clearInterval(trickle);
      expect((await service.send({ to: mailbox.address })).response).toMatch(/^250 /);
    });
  });

  it('beyond so many at once is told 421', async () => {
    await withService({ SMTP_CLIENTS_MAX: '1' }, async (service) => {
      const first = await SmtpDialogue.open(service.smtpPort);
      const second = await service.send({ to: 'x@acme.test' }).catch(replyOf);
      expect(second).toMatch(/^421 /);
      expect(await first.say('NOOP')).toMatch(/^250 /);
      first.close();
    });
  });

  it('is told 452 when its message finds no room in memory, and served when there is', async () => {
    await withService({ SMTP_MEMORY_BYTES: String(mebibyte) }, async (service, mailbox) => {
      // A file is cheap to read, however large.
      const ofBytes = (bytes: number) => ({
        ...{ to: mailbox.address, attachments: [{ content: Buffer.alloc(bytes, 'x') }] },
      });
      const large = ofBytes(mebibyte);
      expect(await service.send(large).catch(replyOf)).toMatch(/^452 4\.3\.1 /);
      const smtp = await SmtpDialogue.open(service.smtpPort);
      await smtp.say('EHLO correspondent.example');
      const announced = 'MAIL FROM:<camille@correspondent.example> SIZE=2000000';
      expect(await smtp.say(announced)).toMatch(/^452 4\.3\.1 /);
      smtp.close();
      for (let i = 0; i < 3; i++) {
        expect((await service.send(ofBytes(mebibyte / 3))).response).toMatch(/^250 /);
      }
    });
  });
});

describe('closing the mail service', () => {
  it('finishes the message under way, and sends everyone else away', async () => {
    await withService({}, async (service, mailbox) => {
      const port = service.smtpPort;
      const idle = await SmtpDialogue.open(port);
      const busy = await SmtpDialogue.openData(port, mailbox.address);
      busy.write('Subject: the last\r\n\r\n');
      await wait(50);
      const stopped = service.stop();
      expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
      await expect(SmtpDialogue.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      busy.write('body\r\n');
      expect(await busy.say('.')).toMatch(/^250 /);
      expect(await busy.reply()).toMatch(/^421 4\.3\.2 /);
      await stopped;
      expect(await service.count('messages', mailbox)).toBe(1);
    });
  });
});
