import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conversations, type ConversationPage } from '@postroom/contracts';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

describe('conversations.list', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });

  afterAll(() => service.close());

  it('shows a conversation that a message has begun', async () => {
    const item = await service.conversation(mailbox);
    expect(item).toEqual({
      id: expect.stringMatching(/^cnv_/),
      mailbox: mailbox.address,
      subject: 'Question about an order',
    });
  });
});
