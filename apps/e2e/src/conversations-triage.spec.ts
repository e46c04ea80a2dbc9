import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deliver, newMessageId } from './mail.js';
import type { PublicApi } from './public-api.js';
import { strangerOf, withoutRequest } from './sameness.js';
import {
  type Conversation,
  conversationOf,
  type ConversationItem,
  itemFields,
  messageFields,
  pageOf,
  recordOf,
} from './wire.js';
import { Workplace } from './workplace.js';

describe('a conversation', () => {
  let place: Workplace;
  let api: PublicApi;
  let mailbox: string;
  let other: string;
  let conversation: ConversationItem;
  let messageId: string;

  const at = (action = ''): string => `/v1/conversations/${conversation.id}${action}`;
  const detail = async (): Promise<Conversation> =>
    conversationOf(await api.get(at(), { mailbox }));
  const inInbox = async (): Promise<boolean> => {
    const page = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    return page.conversations.some((item) => item.id === conversation.id);
  };
  const reply = (text: string): Promise<void> =>
    deliver(place.product, { to: mailbox, subject: 'Re:', text, inReplyTo: messageId });

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    other = await place.mailbox();
    api = await place.key({
      mailboxes: [
        { address: mailbox, access: 'write' },
        { address: other, access: 'write' },
      ],
    });
  });

  beforeEach(async () => {
    messageId = newMessageId();
    conversation = await place.receive(api, mailbox, { messageId });
  });

  describe('conversations.get', () => {
    it('shows the list item with messages, comments and links', async () => {
      const whole = await detail();
      const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 1 }));
      expect(whole).toMatchObject({ ...conversations[0] });
      expect(Object.keys(whole)).toEqual(expect.arrayContaining([...itemFields]));
      expect(whole).toMatchObject({
        messages: [expect.anything()],
        messagesTruncated: false,
        comments: [],
        links: { tasks: [], events: [] },
      });
    });

    it('shows every field of a message, null where there is no value', async () => {
      const { messages } = await detail();
      expect(Object.keys(messages[0] ?? {})).toEqual(expect.arrayContaining([...messageFields]));
      expect(messages[0]).toMatchObject({
        id: conversation.lastMessageId,
        threadId: conversation.id,
        direction: 'inbound',
        from: { email: 'camille@correspondent.example', name: 'Camille Martin' },
        to: [{ email: mailbox, name: null }],
        cc: [],
        bcc: [],
        replyTo: [],
        subject: conversation.subject,
        html: null,
        hasRemoteContent: false,
        inReplyTo: null,
        references: [],
        attachments: [],
        isAutoReply: false,
        priority: null,
        providerMessageId: null,
        receiptSource: null,
        createdBy: null,
      });
      expect(messages[0]?.text?.trim()).toBe('Hello, where is my order?');
      expect(messages[0]?.messageId).toContain(messageId.slice(1, -1));
    });

    it('shows the thread oldest first', async () => {
      await reply('The second.');
      await reply('The third.');
      const { messages, messageCount, lastMessageId } = await detail();
      expect(messages.map((message) => message.text?.trim())).toEqual([
        'Hello, where is my order?',
        'The second.',
        'The third.',
      ]);
      expect(messageCount).toBe(3);
      expect(lastMessageId).toBe(messages[2]?.id);
    });

    it('answers not found alike for an unknown id, a malformed one and one of another mailbox', async () => {
      const elsewhere = await place.receive(api, other);
      const ids = [
        strangerOf(conversation.id),
        'cnv_',
        'x',
        elsewhere.id,
        conversation.lastMessageId,
      ];
      const answers = await Promise.all(
        ids.map((id) => api.get(`/v1/conversations/${id}`, { mailbox })),
      );
      expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 404));
      for (const answer of answers) {
        expect(withoutRequest(answer)).toEqual(withoutRequest(answers[0] ?? answer));
      }
    });
  });

  describe('conversations.archive', () => {
    it('takes it out of the inbox and says so', async () => {
      const answer = await api.post(at('/archive'), { mailbox });
      expect(recordOf(answer)).toEqual({
        ok: true,
        id: conversation.id,
        result: { action: 'archive', applied: true },
      });
      expect(await inInbox()).toBe(false);
    });
  });

  describe('conversations.reopen', () => {
    it('brings it back to the inbox and says so', async () => {
      await api.post(at('/archive'), { mailbox });
      const answer = await api.post(at('/reopen'), { mailbox });
      expect(recordOf(answer)).toEqual({
        ok: true,
        id: conversation.id,
        result: { action: 'reopen', applied: true, inbox: true },
      });
      expect(await inInbox()).toBe(true);
      expect((await detail()).placement).toBe('inbox');
    });

    it('is done by a new message of the thread', async () => {
      await api.post(at('/archive'), { mailbox });
      await reply('I have another question.');
      expect(await inInbox()).toBe(true);
      expect(await detail()).toMatchObject({ placement: 'inbox', messageCount: 2 });
    });
  });

  it('moves to the top of the list with a new message', async () => {
    await place.receive(api, mailbox);
    await reply('Any news?');
    const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 1 }));
    expect(conversations[0]?.id).toBe(conversation.id);
  });
});
