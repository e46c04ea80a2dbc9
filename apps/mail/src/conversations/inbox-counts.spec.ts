import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { MemberCaller } from '@postroom/access';
import {
  inbox,
  moves,
  placements,
  triage,
  type InboxCounts,
  type Operation,
} from '@postroom/contracts';
import { runMaintenance } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { aKey, aMember } from '@postroom/service-testing';
import fc from 'fast-check';
import { maintenanceJobs } from '../mail-app.js';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

const hour = 3_600_000;
const members = ['ada@acme.test', 'max@acme.test', null] as const;

/** A change of one of the first conversations of a mailbox, done or only previewed. */
const aChange = fc.record({
  of: fc.nat({ max: 3 }),
  preview: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  change: fc.oneof(
    fc.constantFrom(...members).map((assignee) => ['assign', { assignee }] as const),
    fc.boolean().map((unread) => ['read', { unread }] as const),
    fc.constantFrom(...placements).map((placement) => ['move', { placement }] as const),
    fc.constant(['snooze', {}] as const),
    fc.constant(['unsnooze', {}] as const),
    fc.constant(['arrive', {}] as const),
  ),
});

describe('inbox.counts', () => {
  let service: MailService;
  let deliveries: Deliveries;
  let database: Database;

  beforeAll(async () => {
    service = await MailService.start();
    const url = service.database.urls.mail;
    deliveries = await Deliveries.open(url);
    database = await Database.connect({ url, schema: 'mail', entities: [] });
  });
  afterAll(async () => {
    await Promise.all([database.close(), deliveries.close()]);
    await service.close();
  });

  /** Counters that are not what a count of the conversations gives. */
  const wrong = (where: MailboxOf): Promise<object[]> =>
    service.rows(
      `SELECT counted, sum(amount) FROM (
         SELECT 'assigned ' || assignee_key AS counted, 1 AS amount FROM conversations
           WHERE tenant_id = $1 AND placement = 'inbox'
         UNION ALL SELECT 'unread', 1 FROM conversations
           WHERE tenant_id = $1 AND placement = 'inbox' AND unread
         UNION ALL SELECT counted, -amount FROM inbox_counters WHERE tenant_id = $1) a
       GROUP BY 1 HAVING sum(amount) <> 0`,
      [where.tenantId],
    );

  const shown = async (caller: MemberCaller) => {
    const { body } = await service.call<InboxCounts>(inbox.counts, {}, { caller });
    const { mailboxes, mine, unassigned, snoozed } = body;
    return { mine, unassigned, snoozed, unread: mailboxes[0]?.unread };
  };

  /** The same, counted. */
  const counted = async ({ tenantId, memberId, email }: MemberCaller) => {
    const [found] = await service.rows(
      `SELECT count(*) FILTER (WHERE s IS NULL AND assignee = $3)::int AS mine,
         count(*) FILTER (WHERE s IS NULL AND assignee IS NULL)::int AS unassigned,
         count(s)::int AS snoozed, count(*) FILTER (WHERE unread)::int AS unread
       FROM conversations c LEFT JOIN snoozes s ON s.conversation_id = c.id
         AND s.until > now() AND s.member_id = $2
       WHERE c.tenant_id = $1 AND placement = 'inbox'`,
      [tenantId, memberId, email],
    );
    return found;
  };

  it('are those of the conversations after any changes, made together, repeated or previewed', async () => {
    const history = fc.array(fc.array(aChange, { minLength: 1, maxLength: 6 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        const where = await service.mailbox({ automation: false });
        const member = aMember({ tenantId: where.tenantId });
        const { memberId: id, email } = member;
        const caller = aKey({ tenantId: where.tenantId, member: { id, email } });
        const ids = await Promise.all(
          [0, 1, 2, 3].map((n) => deliveries.place(where, { messageId: `${n}` })),
        );
        const operations = { ...moves, ...triage } as Readonly<Record<string, Operation>>;
        for (const round of rounds) {
          await Promise.all(
            round.map(async ({ of, preview, change: [name, given] }) => {
              const operation = operations[name];
              if (!operation) {
                await deliveries.deliver(where, { inReplyTo: `${of}`, text: randomUUID() });
                return;
              }
              const until = new Date(Date.now() + hour).toISOString();
              const input = { id: ids[of], mailbox: where.address, ...given };
              const asked = name === 'snooze' ? { ...input, until } : input;
              const { status } = await service.call(operation, asked, { caller, preview });
              expect(status).toBe(200);
            }),
          );
        }
        expect(await wrong(where)).toEqual([]);
        expect(await shown(member)).toEqual(await counted(member));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('that were lost are found by the check of a day, and repaired once', async () => {
    const where = await service.mailbox({ automation: false });
    const member = aMember({ tenantId: where.tenantId });
    for (const text of ['One', 'Two', 'Three']) await deliveries.deliver(where, { text });
    const check = () => runMaintenance(database, maintenanceJobs);
    await service.rows('UPDATE inbox_counters SET amount = amount + 7 WHERE tenant_id = $1', [
      where.tenantId,
    ]);
    await check();
    expect(await shown(member)).toMatchObject({ unassigned: 10 });
    await service.rows(
      `UPDATE mailboxes SET counts_checked_at = now() - interval '25 hours' WHERE tenant_id = $1`,
      [where.tenantId],
    );
    await check();
    expect(await wrong(where)).toEqual([]);
    expect(await shown(member)).toEqual({ mine: 0, unassigned: 3, snoozed: 0, unread: 3 });
    const again = `SELECT repair_inbox_counts($1, $2)::int AS wrong`;
    expect(await service.rows(again, [where.tenantId, where.id])).toEqual([{ wrong: 0 }]);
  });

  it('are those of the mailboxes that the member may read', async () => {
    const shared = await service.mailbox();
    const { tenantId } = shared;
    const hidden = await service.mailbox({ tenantId, access: [] });
    await deliveries.deliver(shared);
    await deliveries.deliver(hidden);
    const { body } = await service.call<InboxCounts>(
      ...([inbox.counts, {}, { caller: aMember({ tenantId }) }] as const),
    );
    const { id, address, name } = shared;
    expect(body).toEqual({
      ...{ mailboxes: [{ id, address, name, access: 'write', unread: 1 }], truncated: false },
      ...{ mine: 0, unassigned: 1, snoozed: 0 },
    });
  });
});
