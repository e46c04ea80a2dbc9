import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversations,
  newId,
  type ConversationAnswer,
  type InvitationDecided,
  type InvitationReceived,
  type Message,
} from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { MailService, type MailboxOf } from './testing/mail-service.js';

const calendar = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REPLY', 'BEGIN:VEVENT', 'UID:u@acme.test'],
  ...[
    'DTSTAMP:20261120T080000Z',
    'ATTENDEE;PARTSTAT=ACCEPTED:mailto:camille@correspondent.example',
  ],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

describe('an invitation in a message', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const receivedBy = async ({ tenantId }: MailboxOf): Promise<InvitationReceived[]> => {
    const found = await service.rows<{ envelope: string }>(
      `SELECT envelope FROM outbox WHERE tenant_id = $1 AND type = 'invitation.received'
       UNION ALL SELECT envelope FROM published_events
       WHERE tenant_id = $1 AND type = 'invitation.received'`,
      [tenantId],
    );
    return found.map(({ envelope }) => JSON.parse(envelope) as InvitationReceived);
  };
  const messageIn = async ({ address, caller }: MailboxOf, id: string): Promise<Message> => {
    const input = { id, mailbox: address };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, { caller });
    const [message] = body.conversation.messages;
    if (!message) throw new Error('The conversation has no message.');
    return message;
  };
  const decide = async (
    { tenantId }: MailboxOf,
    messageId: string,
    state: InvitationDecided['invitation']['state'],
  ): Promise<void> => {
    const decided: InvitationDecided = {
      ...{ occurredAt: new Date().toISOString(), messageId },
      invitation: { method: 'REPLY', uid: 'u@acme.test', state, reason: null },
    };
    const event = {
      ...{ id: newId('evn'), type: 'invitation.decided' as const, tenantId, resource: messageId },
      envelope: JSON.stringify(decided),
    };
    for (let i = 0; i < 2; i++) await service.bus.emit([event]);
  };

  it('is told to scheduling with its sender, and shown as it was decided, once', async () => {
    const mailbox = await service.mailbox();
    const content = calendar.replace('END:V', `ORGANIZER:mailto:${mailbox.address}\r\nEND:V`);
    const icalEvent = { method: 'REPLY', content };
    const { id } = await service.conversation(mailbox, { icalEvent });
    const before = await messageIn(mailbox, id);
    expect(before.invitation).toBeNull();
    const [told, ...others] = await receivedBy(mailbox);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      ...{ messageId: before.id, sender: 'camille@correspondent.example', dmarc: null },
      ...{ isAligned: false, ours: [mailbox.address] },
    });
    expect(told?.calendar.split('\n')).toEqual(content.split('\r\n'));
    const stranger = await service.mailbox();
    await decide(stranger, before.id, 'refused');
    await decide(mailbox, before.id, 'unconfirmed');
    await decide(mailbox, before.id, 'applied');
    await decide(mailbox, before.id, 'stale');
    const expected = { method: 'REPLY', uid: 'u@acme.test', state: 'applied', reason: null };
    const stateNow = async () => (await messageIn(mailbox, id)).invitation?.state;
    await until(async () => !['unconfirmed', undefined].includes(await stateNow()));
    await sleep(200);
    expect((await messageIn(mailbox, id)).invitation).toEqual(expected);
  });

  it('is told of no message without one', async () => {
    const mailbox = await service.mailbox();
    await service.conversation(mailbox);
    const icalEvent = { method: 'PUBLISH', content: calendar.replace('REPLY', 'PUBLISH') };
    await service.conversation(mailbox, { icalEvent });
    expect(await receivedBy(mailbox)).toEqual([]);
  });
});
