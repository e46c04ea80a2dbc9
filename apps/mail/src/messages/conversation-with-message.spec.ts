import { describe, expect, it } from '@jest/globals';
import type { Attachment, Message } from '@postroom/contracts';
import type { ParsedMessage } from '@postroom/mime';
import { aMessage } from '../testing/arrivals.js';
import { aConversation, earlier, mailbox } from '../testing/conversations.js';
import { receivedTime, withReceived } from './conversation-with-message.js';
import { messageOf } from './message-of-parsed.js';

const receivedAt = '2026-01-01T11:00:00.000Z';
const zoe = { email: 'zoe@correspondent.example', name: 'Zoé' };

const message = (given: Partial<ParsedMessage> = {}): Message =>
  messageOf(aMessage(given), { conversationId: 'cnv_1', receivedAt, sizeBytes: 10 });

const file = (inline: boolean): Omit<Attachment, 'id'> => ({
  filename: 'a.pdf',
  mimeType: 'application/pdf',
  declaredMimeType: null,
  size: 1,
  inline,
  contentId: null,
});

describe('withReceived', () => {
  it('shows the message as the newest, unread and waiting', () => {
    const arrived = message({ from: zoe, preview: 'Second thoughts' });
    expect(withReceived(aConversation({ messageCount: 4 }), arrived)).toMatchObject({
      subject: 'First subject',
      preview: 'Second thoughts',
      unread: true,
      messageCount: 5,
      from: zoe,
      lastMessageId: arrived.id,
      lastMessageAt: receivedAt,
      waitingSince: receivedAt,
      updatedAt: receivedAt,
      version: 4,
    });
  });

  it.each([
    ['archived', 'inbox'],
    ['inbox', 'inbox'],
    ['trash', 'trash'],
    ['spam', 'spam'],
  ] as const)('leaves a conversation of %s in %s', (placement, after) => {
    expect(withReceived(aConversation({ placement }), message()).placement).toBe(after);
  });

  it.each(['open', 'pending', 'closed'] as const)(
    'opens what was %s for a correspondent, and for no machine',
    (status) => {
      const before = aConversation({ status });
      expect(withReceived(before, message({ from: zoe })).status).toBe('open');
      expect(withReceived(before, message({ isAutoReply: true })).status).toBe(status);
      expect(withReceived(before, message({ isBounce: true })).status).toBe(status);
    },
  );

  it('keeps the time since which the correspondent has waited', () => {
    const waiting = aConversation({ waitingSince: earlier });
    expect(withReceived(waiting, message()).waitingSince).toBe(earlier);
  });

  it.each([{ isAutoReply: true }, { isBounce: true }])('has no machine wait: %j', (given) => {
    expect(withReceived(aConversation(), message(given)).waitingSince).toBeNull();
    const waiting = aConversation({ waitingSince: earlier });
    expect(withReceived(waiting, message(given)).waitingSince).toBe(earlier);
  });

  it('has whoever a form in the mailbox’s own name writes for wait, and lists them', () => {
    const own = { email: 'Support@ACME.test', name: null };
    const customer = { email: 'cust@example.test', name: 'Cust Omer' };
    const form = message({ from: own, replyTo: [customer] });
    expect(withReceived(aConversation({ from: zoe }), form)).toMatchObject({
      from: zoe,
      participants: [customer],
      waitingSince: receivedAt,
      messageCount: 1,
      unread: true,
    });
  });

  it('lists who gives no address by the name', () => {
    const ann = { email: null, name: 'Ann' };
    const once = withReceived(aConversation(), message({ from: ann }));
    expect(withReceived(once, message({ from: ann }))).toMatchObject({
      from: ann,
      participants: [ann],
    });
  });

  it('keeps the last known sender when a message names none', () => {
    expect(withReceived(aConversation({ from: zoe }), message({ from: null })).from).toEqual(zoe);
  });

  it.each([
    ['a listed file', [file(false)], true],
    ['an inline image', [file(true)], false],
    ['no file', [], false],
  ])('says of %s whether there are attachments', (_what, attachments, expected) => {
    expect(withReceived(aConversation(), message({ attachments })).hasAttachments).toBe(expected);
  });

  it('does not forget the attachments of earlier messages', () => {
    expect(withReceived(aConversation({ hasAttachments: true }), message()).hasAttachments).toBe(
      true,
    );
  });

  it('lists each participant once, first come first, without the mailbox', () => {
    const first = { email: 'ANN@example.test', name: 'Ann' };
    const arrived = message({
      from: { email: 'ann@example.test', name: 'Ann again' },
      to: [{ email: mailbox, name: null }, zoe],
      cc: [zoe, { email: 'cc@example.test', name: null }],
    });
    const { participants } = withReceived(aConversation({ participants: [first] }), arrived);
    expect(participants).toEqual([first, zoe, { email: 'cc@example.test', name: null }]);
  });

  it('lists fifty participants at most', () => {
    const to = Array.from({ length: 80 }, (_, i) => ({ email: `p${i}@example.test`, name: null }));
    const { participants } = withReceived(aConversation(), message({ from: zoe, to }));
    expect(participants).toHaveLength(50);
    expect(participants[0]).toEqual(zoe);
  });
});

describe('receivedTime', () => {
  it('is now for the first message, whatever the conversation says', () => {
    expect(receivedTime(aConversation(), new Date(receivedAt))).toBe(receivedAt);
  });

  it('is now for a later message', () => {
    const older = aConversation({ messageCount: 1 });
    expect(receivedTime(older, new Date(receivedAt))).toBe(receivedAt);
  });

  it('never goes back behind the last message', () => {
    const newer = aConversation({ messageCount: 1, lastMessageAt: receivedAt });
    expect(receivedTime(newer, new Date(earlier))).toBe('2026-01-01T11:00:00.001Z');
  });
});
