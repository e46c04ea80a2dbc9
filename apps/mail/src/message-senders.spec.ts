import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  messageSenders,
  newId,
  unknownId,
  type ConversationAnswer,
  type MessageSender,
} from '@postroom/contracts';
import { aKey, aMember } from '@postroom/service-testing';
import { MailService, type MailboxOf } from './testing/mail-service.js';

describe('the sender of a message', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const received = async (mailbox: MailboxOf): Promise<string> => {
    const { id } = await service.conversation(mailbox, { from: 'Ann Lee <ann@lee.example>' });
    const { tenantId, address } = mailbox;
    const input = { id, mailbox: address };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, {
      caller: aKey({ tenantId }),
    });
    return body.conversation.messages[0]?.id ?? '';
  };
  const find = (messageId: string, caller: ReturnType<typeof aMember>) =>
    service.call<MessageSender>(messageSenders.find, { messageId }, { caller });

  it('is found by members with whom the mailbox is shared', async () => {
    const mailbox = await service.mailbox();
    const id = await received(mailbox);
    const { tenantId } = mailbox;
    const { body } = await find(id, aMember({ tenantId }));
    expect(body).toEqual({ sender: { email: 'ann@lee.example', name: 'Ann Lee' } });
    const one = newId('mbr');
    await service.rows(`UPDATE mailboxes SET access = $2 WHERE tenant_id = $1`, [
      tenantId,
      JSON.stringify([one]),
    ]);
    const sharedWith = await find(id, aMember({ tenantId, memberId: one }));
    expect(sharedWith.body).toEqual(body);
    expect((await find(id, aMember({ tenantId }))).problem).toBe('MESSAGE_NOT_FOUND');
  });

  it('is not found of another workspace, an unknown message, or one that was sent', async () => {
    const mailbox = await service.mailbox();
    const id = await received(mailbox);
    const { tenantId } = mailbox;
    expect((await find(id, aMember())).problem).toBe('MESSAGE_NOT_FOUND');
    expect((await find(unknownId('msg'), aMember({ tenantId }))).problem).toBe('MESSAGE_NOT_FOUND');
    await service.rows(`UPDATE messages SET direction = 'outbound' WHERE id = $1`, [id]);
    expect((await find(id, aMember({ tenantId }))).problem).toBe('MESSAGE_NOT_FOUND');
  });
});
