import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conversations, newId, unknownId, type ConversationAnswer } from '@postroom/contracts';
import { aKey } from '@postroom/service-testing';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

const file = { mimeType: 'text/plain', declaredMimeType: null, size: 1, inline: false };

describe('conversations.get', () => {
  let service: MailService;
  let deliveries: Deliveries;

  beforeAll(async () => {
    service = await MailService.start();
    deliveries = await Deliveries.open(service.database.urls.mail);
  });

  afterAll(async () => {
    await deliveries.close();
    await service.close();
  });

  const get = (
    { address, caller }: Pick<MailboxOf, 'address' | 'caller'>,
    id: string,
  ): Promise<Answer<ConversationAnswer>> =>
    service.call(conversations.get, { id, mailbox: address }, { caller });

  it('shows what the list shows, the messages and comments oldest first, and no links yet', async () => {
    const mailbox = await service.mailbox();
    const { address, caller } = mailbox;
    const id = await deliveries.place(mailbox, { messageId: 'a', text: 'one' });
    await deliveries.place(mailbox, { inReplyTo: 'a', text: 'two', recipientsTruncated: true });
    for (const text of ['first', 'second']) {
      const options = { caller, idempotencyKey: newId('req') };
      await service.call(conversations.comment, { id, mailbox: address, text }, options);
    }
    const { status, body } = await get(mailbox, id);
    const { messages, messagesTruncated, comments, links, leasedBy, ...item } = body.conversation;
    expect([status, body.mailbox, messagesTruncated]).toEqual([200, address, false]);
    expect([item]).toEqual(await service.list(mailbox));
    expect(messages.map((one) => [one.text, one.recipientsTruncated])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    expect(comments.map(({ text }) => text)).toEqual(['first', 'second']);
    expect([links, leasedBy]).toEqual([{ tasks: [], events: [] }, null]);
  });

  it('of any size comes whole, however large', async () => {
    const mailbox = await service.mailbox();
    const text = 'é🙂'.repeat(100_000);
    const id = await deliveries.place(mailbox, { messageId: 'a', text });
    for (let more = 0; more < 4; more++) {
      await deliveries.place(mailbox, { inReplyTo: 'a', text });
    }
    const { messages } = (await get(mailbox, id)).body.conversation;
    expect(messages.map((message) => message.text === text)).toEqual(Array(5).fill(true));
  });

  it('of many megabytes is read alone and in turn, so that others are answered meanwhile', async () => {
    const [large, other] = [await service.mailbox(), await service.mailbox()];
    const id = await deliveries.place(large, { messageId: 'a', text: 'x'.repeat(900_000) });
    const small = await deliveries.place(other);
    const ended: string[] = [];
    const read = async (mailbox: MailboxOf, what: string): Promise<number> => {
      const { status } = await get(mailbox, what);
      ended.push(what);
      return status;
    };
    const reading = Promise.all(Array.from({ length: 8 }, () => read(large, id)));
    expect(await read(other, small)).toBe(200);
    expect(ended.filter((what) => what === id).length).toBeLessThan(8);
    expect(await reading).toEqual(Array(8).fill(200));
  });

  it('gives each message its own attachments', async () => {
    const mailbox = await service.mailbox();
    const attachments = ['b.txt', 'a.txt'].map((filename) => ({
      ...file,
      filename,
      contentId: null,
    }));
    const id = await deliveries.place(mailbox, { messageId: 'a', attachments });
    await deliveries.place(mailbox, { inReplyTo: 'a' });
    const { messages } = (await get(mailbox, id)).body.conversation;
    const names = messages.map((message) => message.attachments.map(({ filename }) => filename));
    expect(names).toEqual([['b.txt', 'a.txt'], []]);
  });

  it('answers CONVERSATION_NOT_FOUND, the same for every conversation that is not there', async () => {
    const mailbox = await service.mailbox();
    const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
    const id = await deliveries.place(mailbox);
    const answers = [
      await get(mailbox, newId('cnv')),
      await get(mailbox, unknownId('cnv')),
      await get(sibling, id),
      await get({ ...mailbox, caller: aKey() }, id),
      await get({ ...mailbox, address: 'nobody@acme.test' }, id),
    ];
    for (const { status, problem, text } of answers) {
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
      expect(text).toBe(answers[0]?.text);
    }
  });

  it('shows bodies of 32 MiB in all, the newest ones, and says that it left some out', async () => {
    const mailbox = await service.mailbox();
    const text = 'é'.repeat(500_000);
    const id = await deliveries.place(mailbox, { messageId: 'large', text, extractedText: text });
    for (let i = 0; i < 18; i += 1)
      await deliveries.place(mailbox, { inReplyTo: 'large', text, extractedText: text });
    const { messages, messagesTruncated } = (await get(mailbox, id)).body.conversation;
    expect(messagesTruncated).toBe(true);
    const shown = messages.map(
      ({ text, extractedText }) => text !== null && extractedText !== null,
    );
    expect(shown).toEqual(shown.map((_, i) => i >= 3));
    expect(shown).toHaveLength(19);
  });

  it('shows 32 MiB of addresses and files in all, those of the newest, and says so', async () => {
    const mailbox = await service.mailbox({ automation: false });
    const name = 'x'.repeat(1_000_000);
    const large = {
      replyTo: [{ email: 'a@x.test', name }],
      attachments: [{ ...file, filename: name, contentId: null }],
    };
    const id = await deliveries.place(mailbox, { messageId: 'long', ...large });
    for (let i = 0; i < 18; i += 1)
      await deliveries.place(mailbox, { inReplyTo: 'long', ...large });
    const { messages, messagesTruncated } = (await get(mailbox, id)).body.conversation;
    expect(messagesTruncated).toBe(true);
    const shown = messages.map(({ replyTo, attachments, recipientsTruncated }) => [
      ...[replyTo.length, attachments.length, recipientsTruncated],
    ]);
    expect(shown).toEqual(shown.map((_, i) => (i >= 3 ? [1, 1, false] : [0, 0, true])));
    expect(shown).toHaveLength(19);
  });

  describe('of a thread of 5,000 messages', () => {
    let mailbox: MailboxOf;
    let id: string;

    beforeAll(async () => {
      mailbox = await service.mailbox();
      id = await deliveries.place(mailbox, { text: 'the first', html: '<p>the first</p>' });
      // Copies, since what is measured is reading them.
      await service.admin.query(
        `INSERT INTO messages SELECT (json_populate_record(m, json_build_object(
           'id', 'msg_' || lpad(i::text, 26, '0'), 'message_id', i::text, 'text', 'no. ' || i,
           'received_at', m.received_at + i * interval '1 s'))).*
         FROM messages m, generate_series(2, 5000) i WHERE m.conversation_id = $1`,
        [id],
      );
    });

    it('shows all of them, bodies for the newest 200 alone, and says so', async () => {
      const { messages, messagesTruncated } = (await get(mailbox, id)).body.conversation;
      expect(messagesTruncated).toBe(true);
      expect(messages).toHaveLength(5000);
      expect(messages.slice(-200).map(({ text }) => text)).toEqual(
        Array.from({ length: 200 }, (_, i) => `no. ${4801 + i}`),
      );
      const older = messages.slice(0, -200);
      expect(older.every(({ text, html }) => text === null && html === null)).toBe(true);
      expect(older[0]).toMatchObject({ subject: 'Question about an order' });
    });
  });
});
