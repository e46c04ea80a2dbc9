import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  type Conversation,
  type ConversationAnswer,
  type ConversationItem,
} from '@postroom/contracts';
import type { ParsedMessage } from '@postroom/mime';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

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

const whole = async ({ address, caller }: MailboxOf, id: string): Promise<Conversation> => {
  const input = { id, mailbox: address };
  return (await service.call<ConversationAnswer>(conversations.get, input, { caller })).body
    .conversation;
};

describe('an arriving message', () => {
  it('is kept with everything it said, and its bytes', async () => {
    const mailbox = await service.mailbox();
    const given: Partial<ParsedMessage> = {
      subject: 'Ünïcode 🎉 – 日本語',
      from: { email: 'zoé@bücher.example', name: 'Zoé „Z“' },
      to: [{ email: mailbox.address, name: null }],
      cc: [{ email: 'cc@correspondent.example', name: 'C. C.' }],
      bcc: [{ email: 'bcc@correspondent.example', name: null }],
      replyTo: [{ email: 'answers@correspondent.example', name: null }],
      messageId: 'one@correspondent.example',
      inReplyTo: 'before@correspondent.example',
      references: ['root@correspondent.example', 'before@correspondent.example'],
      sentAt: '2026-01-02T03:04:05.000Z',
      text: 'Grüße 👩‍👧\n"quoted" \\ end',
      html: '<p>Grüße</p>',
      preview: 'Grüße 👩‍👧',
      recipientsTruncated: true,
      hasRemoteContent: true,
      isAutoReply: true,
      priority: 'high',
      attachments: [
        {
          filename: 'faktura–1.pdf',
          mimeType: 'application/pdf',
          declaredMimeType: 'text/plain',
          size: 12,
          inline: false,
          contentId: null,
        },
        {
          filename: null,
          mimeType: 'image/png',
          declaredMimeType: null,
          size: 3,
          inline: true,
          contentId: 'logo@x',
        },
      ],
    };
    const id = await deliveries.place(mailbox, given);
    const { bcc: _hidden, attachments, ...shown } = given;
    const { messages, ...item } = await whole(mailbox, id);
    expect(messages).toEqual([
      {
        ...shown,
        bounced: null,
        trust: { level: 'ordinary', reasons: [] },
        invitation: null,
        id: item.lastMessageId,
        threadId: id,
        direction: 'inbound',
        bcc: [],
        extractedText: null,
        receivedAt: item.lastMessageAt,
        bounce: false,
        auth: { spf: null, dkim: null, dmarc: null },
        sizeBytes: expect.any(Number),
        providerMessageId: null,
        receiptSource: null,
        createdBy: null,
        attachments: attachments?.map((one) => ({ ...one, id: expect.stringMatching(/^att_/) })),
      },
    ]);
    expect(item).toMatchObject({ subject: shown.subject, hasAttachments: true, links: {} });
    const { rows } = await service.admin.query<{ raw: Buffer; trace: string }>(
      'SELECT raw, trace FROM raw_messages WHERE message = $1',
      [item.lastMessageId],
    );
    expect(rows[0]?.raw.toString()).toBe(`Subject: ${shown.subject}\r\n\r\n${shown.text}\r\n`);
    expect(rows[0]?.trace).toBe('Return-Path: <>\r\n');
  });

  it('reopens an archived conversation', async () => {
    const mailbox = await service.mailbox();
    const id = await deliveries.place(mailbox, { messageId: 'a' });
    const input = { id, mailbox: mailbox.address };
    await service.call(conversations.archive, input, { caller: mailbox.caller });
    expect(await service.list(mailbox)).toEqual([]);
    await deliveries.place(mailbox, { inReplyTo: 'a' });
    expect(await service.list(mailbox)).toMatchObject([{ id, placement: 'inbox', version: 3 }]);
  });

  it('emits conversation.received with both as the API shows them', async () => {
    const mailbox = await service.mailbox();
    const id = await deliveries.place(mailbox, { messageId: 'a' });
    await deliveries.place(mailbox, { inReplyTo: 'a' });
    const shown = await whole(mailbox, id);
    // The contact of the sender depends on the caller.
    const {
      messages,
      messagesTruncated,
      comments,
      links,
      contact: _,
      leasedBy: _b,
      ...item
    } = shown;
    const events = await service.events(mailbox);
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['conversation.received', 1],
      ['conversation.received', 2],
    ]);
    expect(events[1]).toMatchObject({
      tenantId: mailbox.tenantId,
      resource: { type: 'conversation', id },
      actor: { type: 'system', id: null },
      source: 'inbound',
      previous: null,
    });
    expect(events[1]?.data).toEqual({
      conversation: item,
      message: messages[1],
      dataTruncated: false,
    });
    expect({ messagesTruncated, comments, links }).toMatchObject({ messagesTruncated: false });
  });

  it('emits nothing where automation is off', async () => {
    const mailbox = await service.mailbox({ automation: false });
    await deliveries.place(mailbox);
    expect(await service.events(mailbox)).toEqual([]);
    expect(await service.list(mailbox)).toHaveLength(1);
  });

  it('leaves nothing behind when it cannot be kept', async () => {
    const mailbox = await service.mailbox();
    await expect(deliveries.deliver(mailbox, { preview: 'half a pair \ud83c' })).rejects.toThrow();
    for (const table of ['conversations', 'messages', 'thread_ids', 'raw_messages']) {
      expect([table, await service.count(table, mailbox)]).toEqual([table, 0]);
    }
    expect(await service.events(mailbox)).toEqual([]);
  });
});

describe('a duplicate', () => {
  it.each([
    ['the same message again', { messageId: 'a' }, 1],
    ['another content under the same Message-ID', { messageId: 'a', text: 'Other' }, 2],
    ['another Message-ID with the same content', { messageId: 'b' }, 2],
    ['a message without a Message-ID', { messageId: null }, 2],
  ])('is told: %s', async (_what, second, count) => {
    const mailbox = await service.mailbox();
    await deliveries.deliver(mailbox, { messageId: 'a' });
    await deliveries.deliver(mailbox, second);
    expect(await service.count('messages', mailbox)).toBe(count);
  });

  it('changes nothing and emits nothing', async () => {
    const mailbox = await service.mailbox();
    await deliveries.deliver(mailbox, { messageId: 'a' });
    const before = await service.list(mailbox);
    expect(await deliveries.deliver(mailbox, { messageId: 'a' })).toEqual({ outcome: 'duplicate' });
    expect(await service.list(mailbox)).toEqual(before);
    expect(await service.events(mailbox)).toHaveLength(1);
  });

  it('is none in another mailbox of the workspace', async () => {
    const mailbox = await service.mailbox();
    const other = await service.mailbox({ tenantId: mailbox.tenantId });
    await deliveries.place(mailbox, { messageId: 'a' });
    await deliveries.place(other, { messageId: 'a' });
    expect(await service.list(other)).toHaveLength(1);
  });

  it.each([[[]], [['child']]])(
    'is kept once when ten arrive at the same time (%j before)',
    async (before: string[]) => {
      const mailbox = await service.mailbox();
      // A reply that arrived first has claimed the Message-ID, so that no claim holds copies up.
      for (const id of before) await deliveries.place(mailbox, { messageId: id, inReplyTo: 'a' });
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => deliveries.deliver(mailbox, { messageId: 'a' })),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1);
      const [item] = await service.list(mailbox);
      expect(item?.messageCount).toBe(1 + before.length);
      expect(await service.count('messages', mailbox)).toBe(1 + before.length);
    },
  );
});

describe('threading', () => {
  const joins = async (...messages: Partial<ParsedMessage>[]): Promise<number[]> => {
    const mailbox = await service.mailbox();
    const places: string[] = [];
    for (const message of messages) places.push(await deliveries.place(mailbox, message));
    return places.map((id) => places.indexOf(id));
  };

  it.each<[string, Partial<ParsedMessage>[], number[]]>([
    ['a reply by In-Reply-To', [{ messageId: 'a' }, { inReplyTo: 'a' }], [0, 0]],
    ['a reply by References', [{ messageId: 'a' }, { references: ['a'] }], [0, 0]],
    [
      'a reply to a message that never came here, by an older reference',
      [{ messageId: 'a' }, { references: ['a', 'lost'], inReplyTo: 'lost' }],
      [0, 0],
    ],
    [
      'the nearest of two ancestors in different conversations',
      [{ messageId: 'a' }, { messageId: 'b' }, { references: ['a', 'b'] }],
      [0, 1, 1],
    ],
    [
      'References before In-Reply-To',
      [{ messageId: 'a' }, { messageId: 'b' }, { references: ['a'], inReplyTo: 'b' }],
      [0, 1, 0],
    ],
    [
      'a parent that arrives after its reply',
      [{ messageId: 'b', inReplyTo: 'a' }, { messageId: 'a' }],
      [0, 0],
    ],
    [
      'two replies whose parent is missing',
      [{ inReplyTo: 'a' }, { inReplyTo: 'a' }, { messageId: 'a' }],
      [0, 0, 0],
    ],
    [
      'a thread that arrives backwards',
      [
        { messageId: 'c', references: ['a', 'b'] },
        { messageId: 'b', references: ['a'] },
        { messageId: 'a' },
      ],
      [0, 0, 0],
    ],
    [
      'an answer to a message that joined its ancestors, there',
      [
        { messageId: 'a' },
        { messageId: 'c', inReplyTo: 'b' },
        { messageId: 'b', references: ['a'] },
        { messageId: 'd', inReplyTo: 'b' },
      ],
      [0, 1, 0, 0],
    ],
    [
      'an id that another message has already, which goes on naming that one',
      [
        { messageId: 'a' },
        { messageId: 'b' },
        { messageId: 'b', references: ['a'], text: 'another' },
        { inReplyTo: 'b' },
      ],
      [0, 1, 0, 1],
    ],
    ['the subject alone', [{ subject: 'Same' }, { subject: 'Re: Same' }], [0, 1]],
    ['a message that answers itself', [{ messageId: 'a', inReplyTo: 'a' }], [0]],
    ['two messages without any Message-ID', [{ messageId: null }, { messageId: null }], [0, 1]],
    [
      'a reply without a Message-ID',
      [{ messageId: 'a' }, { messageId: null, inReplyTo: 'a' }],
      [0, 0],
    ],
    ['ids that differ in case', [{ messageId: 'a@x' }, { inReplyTo: 'A@x' }], [0, 1]],
  ])('decides on %s', async (_what, messages, expected) => {
    expect(await joins(...messages)).toEqual(expected);
  });

  it('does not join across mailboxes', async () => {
    const mailbox = await service.mailbox();
    const other = await service.mailbox({ tenantId: mailbox.tenantId });
    const id = await deliveries.place(mailbox, { messageId: 'a' });
    expect(await deliveries.place(other, { inReplyTo: 'a' })).not.toBe(id);
  });

  it('keeps twenty messages of one thread together when they arrive at the same time', async () => {
    const mailbox = await service.mailbox();
    const ids = Array.from({ length: 20 }, (_, i) => `m${i}`);
    const messages = ids.map((messageId, i) => ({ messageId, references: ids.slice(0, i) }));
    const places = await Promise.all(
      messages.toSorted(() => Math.random() - 0.5).map((one) => deliveries.place(mailbox, one)),
    );
    expect(new Set(places).size).toBe(1);
    const [item] = await service.list(mailbox);
    expect(item).toMatchObject({
      messageCount: 20,
      version: 20,
    } satisfies Partial<ConversationItem>);
    const events = await service.events(mailbox);
    const sequences = events.map(({ sequence }) => sequence).toSorted((one, other) => one - other);
    expect(sequences).toEqual(ids.map((_, i) => i + 1));
  });

  it('orders messages by arrival, apart from each other, the newest last', async () => {
    const mailbox = await service.mailbox();
    const id = await deliveries.place(mailbox, { messageId: 'a' });
    await Promise.all(
      Array.from({ length: 20 }, () => deliveries.place(mailbox, { inReplyTo: 'a' })),
    );
    const { messages, lastMessageId, lastMessageAt } = await whole(mailbox, id);
    const times = messages.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual([...new Set(times)].toSorted());
    expect(messages.at(-1)).toMatchObject({ id: lastMessageId, receivedAt: lastMessageAt });
  });
});
