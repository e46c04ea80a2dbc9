import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { KeyCaller } from '@postroom/access';
import {
  assembleVolumes,
  builtIns,
  conversations,
  drafts,
  newId,
  type CountVolumes,
  type ServiceVolumes,
  type Volumes,
} from '@postroom/contracts';
import { runMaintenance } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { aKey } from '@postroom/service-testing';
import { maintenanceJobs } from '../mail-app.js';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

const dayMs = 86_400_000;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** A few days around now, so that no spec fails at midnight. */
const around = (): CountVolumes => ({
  from: dayOf(new Date(Date.now() - dayMs)),
  to: dayOf(new Date(Date.now() + dayMs)),
  timeZone: 'UTC',
});

describe('the volumes of mail', () => {
  let service: MailService;
  let database: Database;
  beforeAll(async () => {
    service = await MailService.start();
    const url = service.database.urls.mail;
    database = await Database.connect({ url, schema: 'mail', entities: [] });
  });
  afterAll(async () => {
    await database.close();
    await service.close();
  });

  const keyOf = (...granted: MailboxOf[]) =>
    aKey({
      tenantId: granted[0]?.tenantId ?? newId('ten'),
      grants: Object.fromEntries(granted.map(({ address }) => [address, 'read' as const])),
    });
  /** As the gateway puts them together. */
  const countFor = async (caller: KeyCaller, input: CountVolumes): Promise<Volumes> => {
    const { body } = await service.call<ServiceVolumes>(builtIns.mail.volumes, input, { caller });
    return assembleVolumes(body.counts, input, Object.keys(caller.grants).sort());
  };
  const count = async (mailbox: MailboxOf, given: Partial<CountVolumes> = {}) => {
    return countFor(keyOf(mailbox), { ...around(), ...given });
  };
  const fold = (): Promise<void> => runMaintenance(database, maintenanceJobs);
  const place = (mailbox: MailboxOf, id: string, verb: 'archive' | 'reopen') =>
    service.call(conversations[verb], { id, mailbox: mailbox.address }, { caller: mailbox.caller });

  it('are nothing in a workspace where nothing has happened, for each day of the period', async () => {
    const mailbox = await service.mailbox();
    expect(await count(mailbox, { from: '2026-02-27', to: '2026-03-02' })).toMatchObject({
      conversations: { created: 0, archived: 0, reopened: 0, open: 0 },
      messages: { received: 0, sent: 0 },
      comments: 0,
      drafts: { created: 0 },
      byDay: ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'].map((date) => ({
        date,
        received: 0,
        sent: 0,
        newConversations: 0,
      })),
      byMailbox: [{ mailbox: mailbox.address, received: 0, sent: 0 }],
    });
  });

  it('count what has happened at once, and the same once it is folded', async () => {
    const mailbox = await service.mailbox();
    const messageId = `<${randomUUID()}@correspondent.example>`;
    const first = await service.conversation(mailbox, { messageId });
    const second = await service.conversation(mailbox);
    await place(mailbox, first.id, 'archive');
    await place(mailbox, first.id, 'archive');
    await service.send({ to: mailbox.address, inReplyTo: messageId, text: 'And another thing.' });
    await place(mailbox, second.id, 'archive');
    await place(mailbox, second.id, 'reopen');
    await place(mailbox, second.id, 'archive');
    for (const key of ['one', 'two', 'two']) {
      const input = { id: first.id, mailbox: mailbox.address, text: key };
      const idempotencyKey = `comment ${key}`;
      await service.call(conversations.comment, input, { caller: mailbox.caller, idempotencyKey });
    }
    const draft = { mailbox: mailbox.address, draft: {} };
    await service.call(drafts.create, draft, { caller: mailbox.caller });
    const expected = {
      conversations: { created: 2, archived: 3, reopened: 2, open: 1 },
      drafts: { created: 1 },
      messages: { received: 3, sent: 0 },
      comments: 2,
      byMailbox: [{ mailbox: mailbox.address, received: 3, sent: 0 }],
    };
    expect(await count(mailbox)).toMatchObject(expected);
    await fold();
    expect(await service.count('volume_deltas', mailbox)).toBe(0);
    expect(await count(mailbox)).toMatchObject(expected);
    const { byDay } = await count(mailbox);
    expect(byDay.reduce((sum, day) => sum + day.received, 0)).toBe(3);
    expect(byDay.reduce((sum, day) => sum + day.newConversations, 0)).toBe(2);
  });

  it('count nothing for what was refused, was there already, or was only previewed', async () => {
    const mailbox = await service.mailbox();
    const mail = { messageId: `<${randomUUID()}@correspondent.example>`, date: new Date(0) };
    const { id } = await service.conversation(mailbox, mail);
    await service.send({ to: mailbox.address, ...mail });
    const { caller, address } = mailbox;
    await place(mailbox, newId('cnv'), 'archive');
    await place(mailbox, id, 'reopen');
    const comment = { id, mailbox: address, text: 'Hello' };
    await service.call(conversations.comment, comment, { caller, preview: true });
    await service.call(
      conversations.comment,
      { ...comment, id: newId('cnv') },
      { caller, idempotencyKey: 'a key of mine' },
    );
    expect(await count(mailbox)).toMatchObject({
      conversations: { created: 1, archived: 0, reopened: 0, open: 1 },
      messages: { received: 1 },
      comments: 0,
    });
  });

  it('are those of the whole workspace, by mailbox those that are granted, and of no other', async () => {
    const [one, two] = await (async () => {
      const first = await service.mailbox();
      return [first, await service.mailbox({ tenantId: first.tenantId })] as const;
    })();
    const stranger = await service.mailbox();
    for (const mailbox of [one, two, two, stranger]) await service.conversation(mailbox);
    const ofOne = await count(one);
    expect(ofOne.messages.received).toBe(3);
    expect(ofOne.byMailbox).toEqual([{ mailbox: one.address, received: 1, sent: 0 }]);
    const caller = keyOf(one, two);
    const body = await countFor(caller, around());
    expect(new Map(body.byMailbox.map((row) => [row.mailbox, row.received]))).toEqual(
      new Map([
        [one.address, 1],
        [two.address, 2],
      ]),
    );
    expect((await count(stranger)).messages.received).toBe(1);
    // A grant of an address of another workspace shows nothing of it.
    const prying = aKey({ tenantId: one.tenantId, grants: { [stranger.address]: 'read' } });
    const pried = await countFor(prying, around());
    expect(pried.byMailbox).toEqual([{ mailbox: stranger.address, received: 0, sent: 0 }]);
  });

  it('are counted once whoever folds, while others write and read', async () => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const { caller, address } = mailbox;
    const others = await Promise.all(
      [1, 2].map(() =>
        Database.connect({ url: service.database.urls.mail, schema: 'mail', entities: [] }),
      ),
    );
    const seen: number[] = [];
    const writing = new AbortController();
    const folding = others.map(async (other) => {
      while (!writing.signal.aborted) await runMaintenance(other, maintenanceJobs);
    });
    const reading = (async () => {
      while (!writing.signal.aborted) seen.push((await count(mailbox)).comments);
    })();
    for (let i = 0; i < 100; i++) {
      const input = { id, mailbox: address, text: `${i}` };
      await service.call(conversations.comment, input, { caller, idempotencyKey: newId('req') });
    }
    writing.abort();
    await Promise.all([...folding, reading]);
    await Promise.all(others.map((other) => other.close()));
    // No reader has seen one twice, or missed one that another read had seen.
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect((await count(mailbox)).comments).toBe(100);
  });

  it('are folded however many there are', async () => {
    const mailbox = await service.mailbox();
    await write(mailbox, Array(25_000).fill(new Date()) as Date[]);
    await fold();
    expect(await service.count('volume_deltas', mailbox)).toBe(0);
    expect((await count(mailbox)).messages.received).toBe(25_000);
  });

  /** Messages received at these times, past the listener. */
  async function write({ tenantId, address }: MailboxOf, times: readonly Date[]): Promise<void> {
    await service.admin.query(
      `INSERT INTO volume_deltas (tenant_id, at, kind, scope)
       SELECT $1, t, 'messages.received', $2 FROM unnest($3::timestamptz[]) t`,
      [tenantId, address, times],
    );
  }

  describe('by day', () => {
    /** Each with a day on which its clocks change, or that they never do. */
    const places = [
      { timeZone: 'Europe/Paris', from: '2026-03-28', to: '2026-03-30' },
      { timeZone: 'Europe/Paris', from: '2026-10-24', to: '2026-10-26' },
      { timeZone: 'America/St_Johns', from: '2026-03-07', to: '2026-03-09' },
      { timeZone: 'America/St_Johns', from: '2026-10-31', to: '2026-11-02' },
      { timeZone: 'Asia/Kathmandu', from: '2026-12-31', to: '2027-01-02' },
      // These change at midnight: a day that begins at one o'clock, an hour that is there twice.
      { timeZone: 'America/Asuncion', from: '2023-09-30', to: '2023-10-02' },
      { timeZone: 'America/Havana', from: '2026-10-31', to: '2026-11-02' },
      { timeZone: 'Pacific/Kiritimati', from: '2026-05-01', to: '2026-05-03' },
      { timeZone: 'Pacific/Pago_Pago', from: '2026-05-01', to: '2026-05-03' },
    ];

    /** The day that clocks show, by another implementation of the zone's rules. */
    const localDay = (timeZone: string): ((at: Date) => string) => {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
      return (at) => format.format(at);
    };

    it.each(places)('begin and end to the second in $timeZone from $from on', async (period) => {
      const mailbox = await service.mailbox();
      const isHere = localDay(period.timeZone);
      // Around each quarter of an hour, of different numbers: one too many on one side of midnight
      // is not made up for by one too few on the other.
      const times = Array.from({ length: 7 * 96 }, (_, quarter) => {
        const begins = Date.parse(period.from) - 2 * dayMs + quarter * 900_000;
        const first = Array<Date>((quarter % 5) + 1).fill(new Date(begins));
        return [new Date(begins - 1), ...first];
      }).flat();
      await write(mailbox, times);
      const before = (await count(mailbox, period)).byDay;
      await fold();
      const after = (await count(mailbox, period)).byDay;
      for (const days of [before, after]) {
        expect(days.map(({ date, received }) => [date, received])).toEqual(
          days.map(({ date }) => [date, times.filter((at) => isHere(at) === date).length]),
        );
      }
    });
  });
});
