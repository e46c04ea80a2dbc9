import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { deliver, deliverRaw, newMessageId, writeMail } from './mail.js';
import { SmtpDialogue } from './smtp-dialogue.js';
import { conversationOf, type Conversation, type ConversationItem, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('mail over SMTP', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  const listed = async (): Promise<readonly ConversationItem[]> =>
    pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 })).conversations;
  const detail = async (id: string): Promise<Conversation> =>
    conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));

  beforeAll(async () => {
    place = await Workplace.open('acme');
  });

  /** Most tests count messages, so each describe block has its own mailbox. */
  const freshMailbox = async (): Promise<void> => {
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  };

  describe('is accepted', () => {
    beforeAll(freshMailbox);

    it('from an ordinary client, and in the list within a second', async () => {
      const client = createTransport({ ...place.product.smtp, ignoreTLS: true });
      const subject = `Fresh ${randomUUID()}`;
      const { accepted, response } = await client.sendMail(writeMail({ to: mailbox, subject }));
      expect([accepted, response]).toEqual([[mailbox], expect.stringMatching(/^250 /)]);
      const item = await place.listed(api, mailbox, (one) => one.subject === subject);
      expect(item.messageCount).toBe(1);
    });

    it('several times on one connection', async () => {
      const dialogue = await SmtpDialogue.open(place.product);
      await dialogue.say('EHLO correspondent.example');
      const subjects = [randomUUID(), randomUUID(), randomUUID()];
      for (const subject of subjects) {
        await dialogue.say('MAIL FROM:<a@b.example>');
        await dialogue.say(`RCPT TO:<${mailbox}>`);
        await dialogue.say('DATA');
        const sent = await dialogue.say(`Subject: ${subject}\r\n\r\nHello\r\n.`);
        expect(sent.code).toBe(250);
        // It was committed before the answer, so no waiting is needed.
        expect((await listed()).map((one) => one.subject)).toContain(subject);
      }
      expect((await dialogue.say('QUIT')).code).toBe(221);
    });

    it('with names, addresses and subject in any script', async () => {
      const subject = `注文 №7 – où est‑ce? 😀 ${randomUUID()}`;
      const item = await place.receive(api, mailbox, {
        subject,
        from: { name: '山田 太郎, "T."', address: 'taro@correspondent.example' },
        cc: 'Zoé <zoe@correspondent.example>, bob@correspondent.example',
        replyTo: 'office@correspondent.example',
        text: 'Où est ma commande ? 注文 😀',
      });
      const [message] = (await detail(item.id)).messages;
      expect(message).toMatchObject({
        subject,
        from: { email: 'taro@correspondent.example', name: '山田 太郎, "T."' },
        cc: [
          { email: 'zoe@correspondent.example', name: 'Zoé' },
          { email: 'bob@correspondent.example', name: null },
        ],
        replyTo: [{ email: 'office@correspondent.example', name: null }],
      });
      expect(message?.text?.trim()).toBe('Où est ma commande ? 注文 😀');
    });
  });

  describe('is refused', () => {
    beforeAll(freshMailbox);

    const rcpt = async (address: string): Promise<string> => {
      const dialogue = await SmtpDialogue.open(place.product);
      await dialogue.say('EHLO correspondent.example');
      await dialogue.say('MAIL FROM:<a@b.example>');
      const { text } = await dialogue.say(`RCPT TO:<${address}>`);
      dialogue.close();
      return text;
    };

    it('for an unknown recipient with 550 5.1.1', async () => {
      expect(await rcpt(`nobody-${randomUUID()}@acme.test`)).toMatch(/^550 5\.1\.1 /);
    });

    it.each(['someone@elsewhere.example', 'x@sub.acme.test', 'x@acme.test.evil.example'])(
      'for another domain with 550 5.7.1: %s',
      async (address) => {
        expect(await rcpt(address)).toMatch(/^550 5\.7\.1 /);
      },
    );

    it.each([
      '"@elsewhere.example:x@acme.test',
      'x%elsewhere.example@acme.test',
      'x',
      '',
      '@',
      'a b',
    ])('for an address that relays or is none: "%s"', async (address) => {
      expect(await rcpt(address)).toMatch(/^5\d\d /);
    });

    it('when it hides a second message behind a line end of another kind', async () => {
      for (const end of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\r', '\r\n.\n']) {
        const subject = randomUUID();
        const dialogue = await SmtpDialogue.openEnvelope(place.product, mailbox);
        const smuggled = `MAIL FROM:<boss@acme.test>\r\nRCPT TO:<${mailbox}>\r\nDATA\r\nSubject: Smuggled\r\n\r\nx`;
        await dialogue.say(`Subject: ${subject}\r\n\r\nbefore${end}${smuggled}\r\n.`);
        dialogue.close();
        const items = await listed();
        expect(items.filter((one) => one.subject === 'Smuggled')).toEqual([]);
      }
    });
  });

  describe('is not held up', () => {
    beforeAll(freshMailbox);

    it('by fifty clients that connect and say nothing', async () => {
      const silent = await Promise.all(
        Array.from({ length: 50 }, () => SmtpDialogue.open(place.product)),
      );
      await place.receive(api, mailbox);
      for (const dialogue of silent) dialogue.close();
    });

    it('by a client that sends its message byte by byte', async () => {
      const dialogue = await SmtpDialogue.openEnvelope(place.product, mailbox);
      const subject = `Slow ${randomUUID()}`;
      for (const byte of `Subject: ${subject}\r\n\r\nHello\r\n`) {
        dialogue.socket.write(byte);
        await sleep(5);
      }
      await place.receive(api, mailbox);
      expect((await dialogue.say('.')).code).toBe(250);
      dialogue.close();
      await place.listed(api, mailbox, (one) => one.subject === subject);
    });
  });

  describe('becomes one conversation', () => {
    beforeAll(freshMailbox);

    it.each(['inReplyTo', 'references'])('with what it answers, by %s', async (header) => {
      const messageId = newMessageId();
      const first = await place.receive(api, mailbox, { messageId });
      const subject = `Re: ${randomUUID()}`;
      await deliver(place.product, { to: mailbox, subject, [header]: messageId });
      const { messages } = await detail(first.id);
      expect(messages).toHaveLength(2);
      expect(messages[1]).toMatchObject({ subject, threadId: first.id });
    });

    it('along a chain whose members name only the one before', async () => {
      const ids = Array.from({ length: 5 }, newMessageId);
      const first = await place.receive(api, mailbox, { messageId: ids[0] });
      for (let i = 1; i < ids.length; i++) {
        await deliver(place.product, { to: mailbox, messageId: ids[i], inReplyTo: ids[i - 1] });
      }
      expect((await detail(first.id)).messageCount).toBe(5);
    });

    it('of its own, though another has the same subject', async () => {
      const subject = `Same ${randomUUID()}`;
      await place.receive(api, mailbox, { subject });
      await deliver(place.product, { to: mailbox, subject });
      await deliver(place.product, { to: mailbox, subject: `Re: ${subject}` });
      const alike = (await listed()).filter((one) => one.subject.endsWith(subject));
      expect(alike).toHaveLength(3);
    });

    it('of its own, when it answers something unknown or in another mailbox', async () => {
      const other = await place.mailbox();
      const colleague = await place.keyFor(other);
      const messageId = newMessageId();
      const original = await place.receive(colleague, other, { messageId });
      const answer = await place.receive(api, mailbox, { inReplyTo: messageId });
      const stray = await place.receive(api, mailbox, { inReplyTo: newMessageId() });
      expect([answer.messageCount, stray.messageCount]).toEqual([1, 1]);
      expect(new Set([original.id, answer.id, stray.id]).size).toBe(3);
    });
  });

  describe('that comes twice', () => {
    beforeAll(freshMailbox);

    const message = (messageId: string, trace: string, text = 'Hello'): string =>
      `${trace}From: a@b.example\r\nSubject: Twice\r\nMessage-ID: ${messageId}\r\n\r\n${text}\r\n`;
    const count = async (): Promise<number> =>
      (await listed()).reduce((sum, item) => sum + item.messageCount, 0);

    it('is kept once when it comes twenty times at once', async () => {
      const before = await count();
      const raw = message(newMessageId(), '');
      await Promise.all(Array.from({ length: 20 }, () => deliverRaw(place.product, mailbox, raw)));
      expect(await count()).toBe(before + 1);
    });
  });
});
