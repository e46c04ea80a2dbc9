import { describe, expect, it } from '@jest/globals';
import { aMessage } from '../testing/arrivals.js';
import { aConversation } from '../testing/conversations.js';
import { messageEventData } from './message-events.js';
import { messageOf } from './message-of-parsed.js';

const conversation = aConversation();
const data = (text: string | null, html: string | null = null): object => {
  const facts = { conversationId: 'cnv_1', receivedAt: '', sizeBytes: 1 };
  return messageEventData(conversation, messageOf(aMessage({ text, html }), facts));
};

describe('messageEventData', () => {
  it('carries a body of 64 KiB', () => {
    const text = 'é'.repeat(32 * 1024);
    expect(data(text)).toMatchObject({ conversation, message: { text }, dataTruncated: false });
  });

  it('leaves out a body of more, says so, and keeps the others', () => {
    expect(data(`${'é'.repeat(32 * 1024)}.`, '<p>short</p>')).toMatchObject({
      message: { text: null, html: '<p>short</p>', subject: 'Question about an order' },
      dataTruncated: true,
    });
  });

  it('has the start of lists that no bus carries, and says so', () => {
    const to = Array.from({ length: 500 }, (_, i) => ({
      email: `${i}-${'a'.repeat(300)}@x.test`,
      name: '"'.repeat(320),
    }));
    const given = aMessage({ to, cc: to, replyTo: to, text: 'x' });
    const facts = { conversationId: 'cnv_1', receivedAt: '', sizeBytes: 1 };
    const received = messageEventData(conversation, messageOf(given, facts));
    expect(received).toMatchObject({ message: { text: 'x' }, dataTruncated: true });
    expect(received.message.cc).toEqual(to.slice(0, 20));
    expect(JSON.stringify(received).length).toBeLessThan(300_000);
  });

  it('carries a message without a body', () => {
    expect(data(null)).toMatchObject({ message: { text: null }, dataTruncated: false });
  });
});
