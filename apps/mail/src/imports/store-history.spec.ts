import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemActor, conversations, type ConversationAnswer } from '@postroom/contracts';
import type { ParsedMessage } from '@postroom/mime';
import { UnitOfWork } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { Client } from 'pg';
import { anInboundMessage, Deliveries } from '../testing/arrivals.js';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { storeHistory, type HistoricMessage, type HistoryOutcome } from './store-history.js';

describe('history', () => {
  let service: MailService;
  let database: Database;
  beforeAll(async () => {
    service = await MailService.start();
    const { mail: url } = service.database.urls;
    database = await Database.connect({ url, schema: 'mail', entities: [], poolSize: 12 });
  });
  afterAll(async () => {
    await database.close();
    await service.close();
  });

  const day = (n: number): string => `2020-01-${String(n).padStart(2, '0')}T10:00:00.000Z`;
  const historic = (
    of: MailboxOf,
    { day: n, ...given }: Partial<ParsedMessage> & { day: number },
    more: Partial<HistoricMessage> = {},
  ): HistoricMessage => {
    const { parsed, raw } = anInboundMessage(of, { text: given.messageId ?? '', ...given });
    return { raw, parsed, at: day(n), ...more };
  };

  const store = (
    of: MailboxOf,
    messages: readonly HistoricMessage[],
  ): Promise<readonly HistoryOutcome[]> => {
    const { tenantId, id: mailboxId, address } = of;
    const mailbox = { tenantId, mailboxId, address, automation: false };
    return new UnitOfWork(database).change(
      { tenantId, actor: systemActor, source: 'automation' },
      null,
      async (changing) => ({ value: await storeHistory(changing, mailbox, messages) }),
    );
  };

  const whole = async (of: MailboxOf, id: string | null) => {
    const input = { id: id ?? '', mailbox: of.address };
    const { caller } = of;
    return (await service.call<ConversationAnswer>(conversations.get, input, { caller })).body
      .conversation;
  };

  it('is stored each once by batches at the same time, in any order, beside deliveries', async () => {
    const of = await service.mailbox();
    const ids = Array.from({ length: 30 }, (_, n) => `m${n}@x.test`);
    const given = ids.map((messageId, n) => ({
      ...{ messageId, references: ids.slice(n - (n % 3), n), day: 1 + (n % 28), text: messageId },
    }));
    const all = given.map((one) => historic(of, one));
    const deliveries = await Deliveries.open(service.database.urls.mail);
    const orders = [all, all.toReversed(), all.toSpliced(0, 10), all.toReversed().slice(5)];
    const [outcomes] = await Promise.all([
      Promise.all(orders.map((order) => store(of, order))),
      ...given.map(({ day: _, ...one }) => deliveries.deliver(of, one)),
    ]);
    await deliveries.close();
    const [one = [], reversed = []] = outcomes;
    expect(one.map(({ id }) => id)).toEqual(reversed.map(({ id }) => id).reverse());
    const items = await service.list(of);
    expect(items.map(({ messageCount }) => messageCount)).toEqual(Array(10).fill(3));
    expect(await service.count('messages', of)).toBe(30);
    expect(await service.count('search_documents', of)).toBe(30);
  });

  it('names the copy of a message that arrives, under an id that an answer had named, while it is placed', async () => {
    const of = await service.mailbox();
    const deliveries = await Deliveries.open(service.database.urls.mail);
    const begun = { messageId: 'root@x.test', text: 'root' };
    const late = { messageId: 'late@x.test', text: 'late' };
    await deliveries.deliver(of, begun);
    for (const references of [['held@x.test'], ['late@x.test']])
      await deliveries.deliver(of, { references, text: `answer to ${references[0]}` });
    // The message before it waits, because its id moves to the thread that it names.
    const holder = new Client({ connectionString: service.database.adminUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM mail.thread_ids WHERE message_id = $1 FOR UPDATE', [
      'held@x.test',
    ]);
    const held = { messageId: 'held@x.test', references: ['root@x.test'], day: 1, text: 'held' };
    const storing = store(of, [historic(of, held), historic(of, { ...late, day: 2 })]);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await service.rows(waiting)).length === 0) await sleep(10);
    const conversationId = await deliveries.place(of, late);
    await holder.query('COMMIT');
    await holder.end();
    const [first, copy] = await storing;
    await deliveries.close();
    expect(first?.isDuplicate).toBe(false);
    expect(copy).toMatchObject({ isDuplicate: true, conversationId });
    expect(await service.count('messages', of)).toBe(5);
  });

  it('is sent or received as its folder says, and is kept where it was', async () => {
    const of = await service.mailbox();
    const asked = { messageId: 'asked@x.test', day: 1, from: { email: of.address, name: null } };
    const answer = { messageId: 'answer@x.test', references: ['asked@x.test'], day: 2 };
    const [first, second] = await store(of, [
      historic(of, asked, { isSent: false, placement: 'archived' }),
      historic(of, answer, { isSent: true }),
    ]);
    expect(await whole(of, first?.conversationId ?? null)).toMatchObject({
      placement: 'archived',
      lastMessageId: second?.id,
      lastMessageAt: day(2),
      messages: [{ direction: 'inbound' }, { direction: 'outbound', createdBy: null }],
    });
  });

  it.each([
    ['before it', [0, 1]],
    ['after it', [1, 0]],
  ])('names the message that a report is about, in one batch and in two: %s', async (_, order) => {
    const sent = { messageId: 'sent@x.test', day: 1 };
    const bounced = { recipient: 'ann@x.test', status: '5.1.1', action: 'failed', text: null };
    const report = { messageId: 'report@x.test', references: ['sent@x.test'], day: 2 };
    for (const size of [2, 1]) {
      const of = await service.mailbox();
      const told = { ...report, isBounce: true, bounced: { ...bounced, messageId: 'sent@x.test' } };
      const messages = [historic(of, sent, { isSent: true }), historic(of, told)];
      const ordered = order.flatMap((n) => messages[n] ?? []);
      const outcomes: HistoryOutcome[] = [];
      for (let n = 0; n < 2; n += size)
        outcomes.push(...(await store(of, ordered.slice(n, n + size))));
      const { messages: found } = await whole(of, outcomes[0]?.conversationId ?? null);
      expect(found[1]).toMatchObject({ bounce: true, bounced: { ...bounced, of: found[0]?.id } });
    }
  });
});
