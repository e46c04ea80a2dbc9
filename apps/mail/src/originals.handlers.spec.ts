import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  messages,
  unknownId,
  type ConversationAnswer,
  type MessageHeaders,
} from '@postroom/contracts';
import { aKey } from '@postroom/service-testing';
import { MailService, type MailboxOf } from './testing/mail-service.js';

describe('the original of a message', () => {
  let service: MailService;
  let mailbox: MailboxOf;
  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });
  afterAll(() => service.close());

  const received = async (raw: string): Promise<string> => {
    const { id } = await service.conversation(mailbox, {
      raw,
      envelope: { from: 'ann@lee.example', to: mailbox.address },
    });
    const { address, caller } = mailbox;
    const input = { id, mailbox: address };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, { caller });
    return body.conversation.messages[0]?.id ?? '';
  };
  const raw = (id: string, { address, caller } = mailbox) =>
    service.call<object>(messages.raw, { id, mailbox: address }, { caller });
  const headers = (id: string, { address, caller } = mailbox) =>
    service.call<MessageHeaders>(messages.headers, { id, mailbox: address }, { caller });

  const sent =
    'Received: from a by b;\r\n\tThu, 26 Nov 2026 10:00:00 +0000\r\nX-Twice: 1\r\n' +
    'subject: =?utf-8?q?caf=C3=A9?=\r\n =?utf-8?q?_au_lait?=\r\nX-Twice: 2\r\n\r\nA body.\r\n';

  it('is a download of the bytes that came', async () => {
    const id = await received(sent);
    const answer = await raw(id);
    expect([answer.status, answer.text]).toEqual([200, sent]);
    expect(answer.headers).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  it('has header fields in its order, decoded', async () => {
    expect((await headers(await received(sent))).body).toEqual({
      headers: [
        { name: 'Received', value: 'from a by b; Thu, 26 Nov 2026 10:00:00 +0000' },
        { name: 'X-Twice', value: '1' },
        { name: 'subject', value: 'café au lait' },
        { name: 'X-Twice', value: '2' },
      ],
      truncated: false,
    });
  });

  it('has the fields that the first 64 KiB of a long head hold', async () => {
    const line = `X-Filler: ${'y'.repeat(116)}\r\n`;
    const { body } = await headers(await received(`${line.repeat(600)}\r\nA body.\r\n`));
    expect([body.headers.length, body.truncated]).toEqual([512, true]);
  });

  it('is not found in another mailbox or workspace, nor where there is none', async () => {
    const id = await received(sent);
    const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
    const stranger = { ...mailbox, caller: aKey() };
    const none = unknownId('msg');
    for (const ask of [raw, headers]) {
      const unknown = await ask(none);
      expect(unknown).toMatchObject({ status: 404, problem: 'MESSAGE_NOT_FOUND' });
      for (const other of [sibling, stranger, await service.mailbox()])
        expect((await ask(id, other)).text).toBe(unknown.text);
    }
  });
});
