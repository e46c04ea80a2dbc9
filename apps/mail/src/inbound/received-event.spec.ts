import { describe, expect, it } from '@jest/globals';
import { aMessage } from '../testing/arrivals.js';
import { aConversation } from '../testing/conversations.js';
import { inboundMessage } from './inbound-message.js';
import { receivedData } from './received-event.js';

const conversation = aConversation();
const data = (text: string | null, html: string | null = null): object => {
  const facts = { conversationId: 'cnv_1', receivedAt: '', sizeBytes: 1 };
  return receivedData(conversation, inboundMessage(aMessage({ text, html }), facts));
};

describe('receivedData', () => {
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

  it('carries a message without a body', () => {
    expect(data(null)).toMatchObject({ message: { text: null }, dataTruncated: false });
  });
});
