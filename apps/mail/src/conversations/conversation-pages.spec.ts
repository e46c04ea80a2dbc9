import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  type ListedConversation,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import fc from 'fast-check';
import { aKey } from '@postroom/service-testing';
import { repetitions } from '@postroom/testing/repetitions';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

describe('conversations.list', () => {
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

  const list = (
    { address, caller }: MailboxOf,
    input: Partial<ListConversations> = {},
  ): Promise<Answer<ConversationPage>> =>
    service.call(
      conversations.list,
      { mailbox: address, limit: 25, placement: 'inbox', ...input },
      { caller },
    );

  const filled = async (count: number): Promise<MailboxOf> => {
    const mailbox = await service.mailbox();
    for (let i = 0; i < count; i++) await deliveries.place(mailbox, { messageId: `m${i}` });
    return mailbox;
  };

  it('shows a conversation that a message has begun, with every field', async () => {
    const mailbox = await service.mailbox();
    const id = await deliveries.place(mailbox, { subject: 'First' });
    const { status, body } = await list(mailbox);
    const camille = { email: 'camille@correspondent.example', name: 'Camille Martin' };
    const [item] = body.conversations;
    expect([status, body.mailbox, body.nextPageToken]).toEqual([200, mailbox.address, null]);
    expect(item).toEqual({
      id,
      mailbox: mailbox.address,
      subject: 'First',
      contact: null,
      preview: 'Hello, where is my order?',
      status: 'open',
      placement: 'inbox',
      assignee: null,
      teamId: null,
      labels: [],
      unread: true,
      messageCount: 1,
      commentCount: 0,
      draftCount: 0,
      hasAttachments: false,
      participants: [camille],
      from: camille,
      lastMessageId: expect.stringMatching(/^msg_/),
      lastMessageAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      waitingSince: item?.lastMessageAt,
      snoozedUntil: null,
      createdAt: item?.lastMessageAt,
      updatedAt: item?.lastMessageAt,
      version: 1,
    } satisfies Record<keyof ListedConversation, unknown>);
  });

  it('shows the conversation with the newest message first', async () => {
    const mailbox = await filled(3);
    const before = (await service.list(mailbox)).map(({ id }) => id);
    await deliveries.place(mailbox, { inReplyTo: 'm0' });
    const after = (await service.list(mailbox)).map(({ id }) => id);
    expect(after).toEqual([before[2], before[0], before[1]]);
  });

  it('gives a token exactly when there is more', async () => {
    const mailbox = await filled(3);
    expect((await list(mailbox, { limit: 3 })).body.nextPageToken).toBeNull();
    const first = await list(mailbox, { limit: 2 });
    expect(first.body.conversations).toHaveLength(2);
    const pageToken = first.body.nextPageToken ?? '';
    const second = await list(mailbox, { limit: 1, pageToken });
    expect(second.body.conversations).toHaveLength(1);
    expect(second.body.nextPageToken).toBeNull();
  });

  it('leaves out what is archived', async () => {
    const mailbox = await filled(2);
    const [newest] = await service.list(mailbox);
    const input = { id: newest?.id ?? '', mailbox: mailbox.address };
    await service.call(conversations.archive, input, { caller: mailbox.caller });
    expect(await service.list(mailbox)).toHaveLength(1);
  });

  it('answers an empty page for a mailbox that nothing has come to', async () => {
    const { status, body } = await list(await service.mailbox());
    expect([status, body.conversations, body.nextPageToken]).toEqual([200, [], null]);
  });

  it('answers MAILBOX_NOT_FOUND for the mailbox of another workspace and for none', async () => {
    const mailbox = await filled(1);
    const stranger = { ...mailbox, caller: aKey() };
    const answer = await list(stranger);
    expect(answer).toMatchObject({ status: 404, problem: 'MAILBOX_NOT_FOUND' });
    expect(answer.text).toBe((await list({ ...stranger, address: 'nobody@acme.test' })).text);
  });

  describe('with a page token', () => {
    it.each<[string, (token: string) => string]>([
      [
        'with a character changed',
        (token) => `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`,
      ],
      ['cut short', (token) => token.slice(0, -1)],
      ['with something added', (token) => `${token}A`],
      ['with padding', (token) => `${token}=`],
      ['that is empty', () => ''],
      ['that is none', () => 'eyJhIjoxfQ'],
    ])('refuses one %s', async (_what, change) => {
      const mailbox = await filled(2);
      const token = (await list(mailbox, { limit: 1 })).body.nextPageToken ?? '';
      const { status, problem } = await list(mailbox, { pageToken: change(token) });
      expect([status, problem]).toEqual([400, 'INVALID_PAGE_TOKEN']);
    });

    it('refuses any byte changed', async () => {
      const mailbox = await filled(2);
      const token = (await list(mailbox, { limit: 1 })).body.nextPageToken ?? '';
      const bytes = Buffer.from(token, 'base64url');
      await fc.assert(
        fc.asyncProperty(
          fc.nat(bytes.length - 1),
          fc.integer({ min: 1, max: 255 }),
          async (at, mask) => {
            const changed = Buffer.from(bytes);
            changed[at] = (bytes[at] ?? 0) ^ mask;
            const pageToken = changed.toString('base64url');
            expect((await list(mailbox, { pageToken })).problem).toBe('INVALID_PAGE_TOKEN');
          },
        ),
        { numRuns: repetitions(50, 15) },
      );
    });

    it('refuses one of another mailbox or workspace', async () => {
      const mailbox = await filled(2);
      const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
      const pageToken = (await list(mailbox, { limit: 1 })).body.nextPageToken ?? '';
      expect((await list(sibling, { pageToken })).problem).toBe('INVALID_PAGE_TOKEN');
      const stranger = { ...mailbox, caller: aKey() };
      expect((await list(stranger, { pageToken })).problem).toBe('INVALID_PAGE_TOKEN');
    });

    it('takes one of another key of the workspace', async () => {
      const mailbox = await filled(2);
      const pageToken = (await list(mailbox, { limit: 1 })).body.nextPageToken ?? '';
      const colleague = { ...mailbox, caller: aKey({ tenantId: mailbox.tenantId }) };
      expect((await list(colleague, { pageToken })).body.conversations).toHaveLength(1);
    });

    it('shows all that was there once, in its order, whatever arrives between the pages', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('page' as const), limit: fc.integer({ min: 1, max: 4 }) }),
        fc.constant({ kind: 'new' as const }),
        fc.record({ kind: fc.constant('again' as const), of: fc.nat(9) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const mailbox = await filled(10);
          const before = (await service.list(mailbox)).map(({ id }) => id);
          const first = (await list(mailbox, { limit: 2 })).body;
          const seen = first.conversations.map(({ id }) => id);
          let token = first.nextPageToken;
          const turn = async (limit: number): Promise<void> => {
            if (token === null) return;
            const { body } = await list(mailbox, { limit, pageToken: token });
            seen.push(...body.conversations.map(({ id }) => id));
            token = body.nextPageToken;
          };
          for (const one of steps) {
            if (one.kind === 'page') await turn(one.limit);
            else if (one.kind === 'new') await deliveries.place(mailbox);
            else await deliveries.place(mailbox, { inReplyTo: `m${one.of}` });
          }
          while (token !== null) await turn(3);
          expect(seen).toEqual(before);
        }),
        { numRuns: repetitions(25, 8) },
      );
    });
  });
});
