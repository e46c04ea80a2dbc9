import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversations,
  importSteps,
  newId,
  triage,
  type BegunImport,
  type ConversationItem,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { isFullRun, someOf } from '@postroom/testing/repetitions';
import { Client } from 'pg';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { labelKey } from './spelled-labels.js';

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

type Filters = Partial<ListConversations>;

const list = ({ address, caller }: MailboxOf, input: Filters): Promise<Answer<ConversationPage>> =>
  service.call(
    conversations.list,
    { mailbox: address, limit: 100, placement: 'inbox', ...input },
    { caller },
  );

/** Every page; `between` runs after each but the last. */
async function walk(
  mailbox: MailboxOf,
  input: Filters,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ConversationItem[]> {
  const seen: ConversationItem[] = [];
  for (let pageToken: string | null = ''; pageToken !== null;) {
    const { status, body }: Answer<ConversationPage> = await list(mailbox, {
      ...input,
      ...(pageToken !== '' && { pageToken }),
    });
    expect(status).toBe(200);
    seen.push(...body.conversations);
    pageToken = body.nextPageToken;
    if (pageToken !== null) await between();
  }
  return seen;
}

const ids = (items: readonly ConversationItem[]): string[] => items.map(({ id }) => id);

const withMember = (mailbox: MailboxOf): MailboxOf => {
  const member = { id: newId('mbr'), email: 'ada@acme.test' };
  return { ...mailbox, caller: aKey({ tenantId: mailbox.tenantId, member }) };
};

const labels = ['Red', 'Green', 'Blue'];
const teamId = newId('tea');

/** A mailbox of conversations of every kind, the newest first. */
async function manyKinds(count = 120): Promise<MailboxOf> {
  const mailbox = await service.mailbox({ automation: false });
  const first = await deliveries.place(mailbox);
  const input = { id: first, mailbox: mailbox.address, add: labels, remove: [] };
  await service.call(triage.label, input, { caller: mailbox.caller });
  await service.admin.query(
    `INSERT INTO conversations (tenant_id, id, mailbox_id, subject, status, placement, assignee,
       labels, last_message_at, created_at, updated_at, team_id, unread, waiting_since)
     SELECT $1, 'cnv_' || lpad($3 || n::text, 26, '0'), $2, n::text,
       (ARRAY['open', 'pending', 'closed'])[1 + n % 3],
       (ARRAY['inbox', 'archived', 'inbox', 'trash', 'spam'])[1 + n % 5],
       (ARRAY[NULL, 'ada@acme.test', 'bob@acme.test', NULL])[1 + n % 4],
       ($5::text[])[1 : n % 4], at, at, at,
       CASE n % 6 WHEN 0 THEN $6 END, n % 7 = 0,
       CASE n % 2 WHEN 0 THEN at - (n % 5) * interval '1 hour' END
     FROM generate_series(1, $4::int) n
     -- Two of a time, so that ids decide between them.
     CROSS JOIN LATERAL (SELECT now() - (n / 2) * interval '1 minute' - interval '1 hour' AS at) t`,
    [mailbox.tenantId, mailbox.id, String(Math.floor(Math.random() * 1e9)), count, labels, teamId],
  );
  return mailbox;
}

const combinations: Filters[] = [
  { placement: 'all' },
  { placement: 'archived' },
  { placement: 'trash' },
  { placement: 'spam' },
  { status: 'open' },
  { placement: 'all', status: 'closed' },
  { assignee: 'ada@acme.test' },
  { placement: 'all', assignee: 'none' },
  { placement: 'all', assignee: 'bob@acme.test', status: 'pending' },
  { assignee: 'nobody@acme.test' },
  { label: 'red' },
  { placement: 'all', label: 'ＢＬＵＥ' },
  { placement: 'all', label: 'Green', status: 'open' },
  { placement: 'all', label: 'Green', assignee: 'none' },
  { placement: 'all', label: 'Green', assignee: 'ada@acme.test', status: 'open' },
  { label: 'unknown' },
  { unread: true },
  { placement: 'all', unread: false, label: 'Green' },
  { placement: 'all', teamId },
  { teamId, status: 'closed', assignee: 'ada@acme.test' },
];

const isSame = <T>(wanted: T | undefined, value: T): boolean =>
  wanted === undefined || wanted === value;

const isWanted =
  ({ placement = 'inbox', status, assignee, label, teamId: team, unread }: Filters) =>
  (item: ConversationItem): boolean =>
    (placement === 'all' || item.placement === placement) &&
    isSame(status, item.status) &&
    isSame(assignee, item.assignee ?? 'none') &&
    isSame(team, item.teamId) &&
    isSame(unread, item.unread) &&
    (label === undefined ||
      item.labels.some((one) => one.toLowerCase() === label.normalize('NFKC').toLowerCase()));

describe('conversations.list with filters', () => {
  let mailbox: MailboxOf;
  let everything: ConversationItem[];

  beforeAll(async () => {
    mailbox = await manyKinds();
    everything = await walk(mailbox, { placement: 'all' });
  });

  it('shows all there is with placement all, newest first, ties by id', () => {
    expect(everything).toHaveLength(121);
    const places = everything.map(({ lastMessageAt, id }) => `${lastMessageAt} ${id}`);
    expect(places).toEqual(places.toSorted().toReversed());
  });

  it.each(combinations)('%j shows what it asks for, in the order of the list', async (filters) => {
    const expected = ids(everything.filter(isWanted(filters)));
    expect(ids(await walk(mailbox, filters))).toEqual(expected);
    expect(ids(await walk(mailbox, { ...filters, limit: 7 }))).toEqual(expected);
  });

  it.each(combinations)('%j oldest first shows the same backwards', async (filters) => {
    const expected = ids(everything.filter(isWanted(filters))).toReversed();
    expect(ids(await walk(mailbox, { ...filters, sort: 'oldest', limit: 7 }))).toEqual(expected);
  });

  it.each(combinations)('%j shows who waits longest first', async (filters) => {
    const waiting = everything.filter(isWanted(filters)).filter((one) => one.waitingSince !== null);
    const place = ({ waitingSince, id }: ConversationItem) => `${waitingSince} ${id}`;
    const expected = waiting.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
    expect(ids(await walk(mailbox, { ...filters, sort: 'waiting', limit: 7 }))).toEqual(
      ids(expected),
    );
  });

  it('shows what is snoozed for the member alone, or among the others', async () => {
    const ada = withMember(mailbox);
    const inboxIds = ids(everything.filter(isWanted({})));
    const id = inboxIds[3] ?? '';
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await service.call(triage.snooze, { id, mailbox: ada.address, until }, { caller: ada.caller });
    expect(await walk(ada, { snoozed: 'only' })).toMatchObject([{ id, snoozedUntil: until }]);
    expect(ids(await walk(ada, { snoozed: 'include', limit: 7 }))).toEqual(inboxIds);
    const others = inboxIds.filter((one) => one !== id);
    expect(ids(await walk(ada, { sort: 'oldest' }))).toEqual(others.toReversed());
    expect(await walk(withMember(mailbox), { snoozed: 'only' })).toEqual([]);
    expect(await walk(mailbox, { snoozed: 'only' })).toEqual([]);
    const updatedSince = '2020-01-01T00:00:00Z';
    expect(ids(await walk(ada, { snoozed: 'only', updatedSince }))).toEqual([id]);
  });

  it('shows those of a contact, to whom may read it', async () => {
    const box = await service.mailbox({ automation: false });
    const { tenantId } = box;
    const [shared, own, contactId, other] = [
      newId('abk'),
      newId('abk'),
      newId('ctc'),
      newId('ctc'),
    ];
    await service.admin.query(
      `INSERT INTO known_books (tenant_id, id, is_shared, member_ids, is_deleted)
       VALUES ($1, $2, true, '{}', false), ($1, $3, false, '{}', false)`,
      [tenantId, shared, own],
    );
    await service.admin.query(
      `WITH c AS (INSERT INTO known_contacts
         (tenant_id, id, book_id, name, addresses, sequence, as_of, is_gone)
         SELECT $1, c.id, c.book, '', '{}', 1, now(), false
         FROM (VALUES ($2, $4), ($3, $5)) AS c (id, book) RETURNING id)
       INSERT INTO known_addresses SELECT $1, 'camille@correspondent.example', id FROM c`,
      [tenantId, contactId, other, shared, own],
    );
    const from = { email: 'Camille@Correspondent.example', name: null };
    const id = await deliveries.place(box, { from, text: 'One' });
    await deliveries.place(box, { from: { ...from, email: 'max@other.example' }, text: 'Two' });
    const ada = withMember(box);
    expect(ids(await walk(ada, { contactId }))).toEqual([id]);
    const updatedSince = '2020-01-01T00:00:00Z';
    expect(ids(await walk(ada, { contactId, updatedSince }))).toEqual([id]);
    expect(await walk(box, { contactId })).toEqual([]);
    for (const unknown of [other, newId('ctc')])
      expect(await walk(ada, { contactId: unknown })).toEqual([]);
  });

  it.each(combinations)('%j by change shows the same, in the order of change', async (filters) => {
    const since = (updatedSince: string) => walk(mailbox, { ...filters, limit: 7, updatedSince });
    expect(await since('9999-12-31T23:59:59.9999999Z')).toEqual([]);
    const seen = await since('0001-01-01T00:00:00Z');
    expect(ids(seen).toSorted()).toEqual(ids(everything.filter(isWanted(filters))).toSorted());
  });

  it.each(combinations)('%j refuses the token of another query', async (filters) => {
    const { nextPageToken } = (await list(mailbox, { placement: 'all', limit: 1 })).body;
    const pageToken = nextPageToken ?? '';
    const other = await list(mailbox, { ...filters, pageToken });
    const isSame = JSON.stringify(filters) === '{"placement":"all"}';
    expect(other.problem).toBe(isSame ? null : 'INVALID_PAGE_TOKEN');
    const since = { placement: 'all' as const, updatedSince: '2020-01-01T00:00:00Z' };
    expect((await list(mailbox, { ...since, pageToken })).problem).toBe('INVALID_PAGE_TOKEN');
  });

  it('shows a conversation where it stood when mail moves it up meanwhile', async () => {
    const box = await service.mailbox({ automation: false });
    for (let i = 0; i < 6; i++) await deliveries.place(box, { messageId: `m${i}` });
    const before = ids(await walk(box, { placement: 'all' }));
    for (const filters of [
      { placement: 'all' as const },
      { status: 'open' as const },
      { assignee: 'none' },
    ]) {
      let next = 0;
      const seen = await walk(box, { ...filters, limit: 2 }, () =>
        deliveries.place(box, { inReplyTo: `m${next++}` }),
      );
      expect(ids(seen).toSorted()).toEqual(before.toSorted());
    }
  });

  describe('while old mail comes in', () => {
    let box: MailboxOf;
    const walks: Filters[] = [
      {},
      { placement: 'all' },
      { status: 'open' },
      { assignee: 'none' },
      { label: 'red' },
      { unread: true },
      { sort: 'oldest' },
    ];
    const minutes = (ago: number): string => new Date(Date.now() - ago * 60_000).toISOString();

    /** Imports a message of so many minutes ago; an answer to another, when one is named. */
    const bring = async (ago: number, references?: string): Promise<void> => {
      const caller = anAdmin({ tenantId: box.tenantId });
      const begun = await service.call<BegunImport>(
        importSteps.begin,
        { mailboxId: box.id },
        { caller },
      );
      const { id } = begun.body;
      const text = [
        'From: camille@correspondent.example',
        `Date: ${new Date(minutes(ago)).toUTCString()}`,
        `Message-ID: <${randomUUID()}@correspondent.example>`,
        ...(references === undefined ? [] : [`References: <${references}>`]),
        '\r\nHi',
      ].join('\r\n');
      const messages = [Buffer.from(text).toString('base64')];
      const input = { id, first: 0, messages, bytesRead: text.length };
      expect((await service.call(importSteps.take, input, { caller })).status).toBe(200);
      const end = { id, state: 'done', bytesRead: text.length } as const;
      await service.call(importSteps.end, end, { caller });
    };

    /** Eight conversations, an hour apart: m0 is the newest. */
    beforeEach(async () => {
      box = await service.mailbox({ automation: false });
      for (let i = 0; i < 8; i++) {
        const id = await deliveries.place(box, { messageId: `m${i}` });
        const input = { id, mailbox: box.address, add: ['Red'], remove: [] };
        await service.call(triage.label, input, { caller: box.caller });
        const at = minutes(60 * (i + 1));
        const { tenantId } = box;
        await service.admin.query(
          'UPDATE messages SET received_at = $3 WHERE tenant_id = $1 AND conversation_id = $2',
          [tenantId, id, at],
        );
        await service.admin.query(
          'UPDATE conversations SET last_message_at = $3 WHERE tenant_id = $1 AND id = $2',
          [tenantId, id, at],
        );
      }
    });

    it.each(walks)('shows once each that was there: %j, and an import', async (filters) => {
      const before = ids(await walk(box, filters));
      let page = 0;
      const seen = await walk(box, { ...filters, limit: 2 }, async () => {
        page += 1;
        // Behind the walk, and before it: in conversations that it has shown, and in others.
        await bring(90, `m7`);
        await bring(60 * 7 + 30, `m0`);
        await bring(60 * page + 15, `m${page + 3}`);
        await bring(15);
        await bring(60 * 6 + 5);
      });
      expect(ids(seen)).toEqual(before);
    });

    it.each(someOf(walks, 2))(
      'shows once each that was there: %j, and a slow delivery',
      async (filters) => {
        const before = ids(await walk(box, filters));
        const last = before.at(-1);
        const holder = new Client({ connectionString: service.database.adminUrl });
        await holder.connect();
        await holder.query('SET search_path = mail; BEGIN');
        await holder.query('SELECT FROM conversations WHERE id = $1 FOR UPDATE', [last]);
        const delivery = deliveries.place(box, { inReplyTo: 'm7' });
        await sleep(1_200);
        const seen = await walk(box, { ...filters, limit: 2 }, async () => {
          await holder.query('COMMIT');
          await delivery;
        });
        await holder.end();
        expect(ids(seen)).toEqual(before);
      },
    );

    it.each(walks)('shows none that began long after it: %j', async (filters) => {
      const before = ids(await walk(box, filters));
      const seen = await walk(box, { ...filters, limit: 3 }, async () => {
        await bring(60 * 7 + 30);
        await service.admin.query(
          `UPDATE conversations SET created_at = now() + interval '2 minutes', labels = '{Red}'
           WHERE tenant_id = $1 AND NOT id = ANY ($2)`,
          [box.tenantId, before],
        );
      });
      expect(ids(seen)).toEqual(before);
    });

    it('shows each once though the rows come from another server', async () => {
      await service.admin.query('UPDATE messages SET kept_by = $2 WHERE tenant_id = $1', [
        box.tenantId,
        String(2n ** 40n),
      ]);
      const before = ids(await walk(box, {}));
      const seen = await walk(box, { limit: 2 }, () => deliveries.place(box, { inReplyTo: 'm7' }));
      expect(ids(seen)).toEqual(before);
    });
  });

  it('answers MAILBOX_NOT_FOUND for a mailbox that does not exist', async () => {
    for (const filters of [...combinations, { updatedSince: '2020-01-01T00:00:00Z' }]) {
      const answer = await list({ ...mailbox, address: 'nobody@acme.test' }, filters);
      expect(answer.problem).toBe('MAILBOX_NOT_FOUND');
      const stranger = await list({ ...mailbox, caller: aKey() }, filters);
      expect(stranger.text).toBe(answer.text);
    }
  });
});

describe('a later page of many messages', () => {
  let mailbox: MailboxOf;

  const connected = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: service.database.adminUrl });
    await client.connect();
    try {
      await client.query('SET search_path = mail, public');
      return await work(client);
    } finally {
      await client.end();
    }
  };

  const snapshot = async (): Promise<string | undefined> => {
    const { rows } = await service.admin.query<{ now: string }>(
      'SELECT pg_current_snapshot()::text AS now',
    );
    return rows[0]?.now;
  };

  beforeAll(async () => {
    mailbox = await manyKinds();
    await connected(async (client) => {
      await client.query('SET session_replication_role = replica');
      await client.query(
        `INSERT INTO messages (tenant_id, id, mailbox_id, conversation_id, direction, sender,
           recipients, cc, bcc, reply_to, subject, preview, text, has_remote_content, received_at,
           reference_ids, is_auto_reply, bounce, auth, size_bytes, parsed, kept_by)
         SELECT tenant_id, 'msg_' || lpad((row_number() OVER ())::text, 26, '0'), mailbox_id, id,
           'inbound', '{}', '[]', '[]', '[]', '[]', '', '', '', false, last_message_at,
           '{}', false, false, '{}', 0, true, 1
         FROM conversations, generate_series(1, 200) WHERE mailbox_id = $1`,
        [mailbox.id],
      );
      await client.query('ANALYZE conversations, messages');
    });
  });

  it.each([
    ['placement', null, null],
    ['status', null, null],
    ['assignee', '', null],
    ['label', null, 'red'],
  ])('reads no table from end to end, by %s', async (by, assignee, label) => {
    const began = await snapshot();
    await deliveries.place(mailbox);
    // Statistics count the reads since a connection began, or since its last commit.
    const readWhole = await connected(async (client) => {
      await client.query('BEGIN');
      const { rowCount } = await client.query(
        `SELECT FROM page_by_${by}($1, $2, NULL, now(), $3, now(), '', 25,
           '{inbox}', '{open,pending,closed}', $4, $5)`,
        [mailbox.tenantId, mailbox.address, began, assignee, label && labelKey(label)],
      );
      expect(rowCount).toBeGreaterThan(0);
      const { rows } = await client.query<{ relname: string }>(
        `SELECT relname FROM pg_stat_xact_user_tables
         WHERE seq_scan > 0 AND relname IN ('conversations', 'conversation_labels', 'messages')`,
      );
      return rows;
    });
    expect(readWhole).toEqual([]);
  });
});

describe('a snoozed conversation', () => {
  const snooze = (mailbox: MailboxOf, id: string, ms: number): Promise<Answer> => {
    const until = new Date(Date.now() + ms).toISOString();
    const input = { id, mailbox: mailbox.address, until };
    return service.call(triage.snooze, input, { caller: mailbox.caller });
  };

  it('is left out of every list that is newest first, and shown by change with its time', async () => {
    const mailbox = withMember(await manyKinds(20));
    const all = await walk(mailbox, { placement: 'all' });
    const hidden = all.slice(3, 8);
    for (const { id } of hidden) await snooze(mailbox, id, 3_600_000);
    const shown = all.filter((item) => !hidden.includes(item));
    for (const filters of combinations) {
      const expected = ids(shown.filter(isWanted(filters)));
      expect(ids(await walk(mailbox, { ...filters, limit: 3 }))).toEqual(expected);
    }
    expect(ids(await walk(mailbox, { limit: 3 }))).toEqual(ids(shown.filter(isWanted({}))));
    const since = { placement: 'all' as const, updatedSince: '2020-01-01T00:00:00Z' };
    const byChange = await walk(mailbox, since);
    expect(byChange).toHaveLength(all.length);
    const snoozed = byChange.filter(({ snoozedUntil }) => snoozedUntil !== null);
    expect(ids(snoozed).toSorted()).toEqual(ids(hidden).toSorted());
  });

  it('stays hidden for a walk that began before its time, and shows in the next', async () => {
    const mailbox = withMember(await service.mailbox({ automation: false }));
    for (let i = 0; i < 4; i++) await deliveries.place(mailbox);
    const all = ids(await walk(mailbox, {}));
    await snooze(mailbox, all[3] ?? '', 3_600_000);
    const seen = await walk(mailbox, { limit: 2 }, async () => {
      await service.rows('UPDATE snoozes SET until = now() WHERE tenant_id = $1', [
        mailbox.tenantId,
      ]);
    });
    expect(ids(seen)).toEqual(all.slice(0, 3));
    expect(ids(await walk(mailbox, {}))).toEqual(all);
  });
});

describe('conversations.list by change', () => {
  const since = { placement: 'all' as const, updatedSince: '2020-01-01T00:00:00Z' };
  const archive = (mailbox: MailboxOf, id: string): Promise<Answer> =>
    service.call(
      conversations.archive,
      { id, mailbox: mailbox.address },
      { caller: mailbox.caller },
    );

  it('shows a change at once, last', async () => {
    const mailbox = await service.mailbox({ automation: false });
    for (let i = 0; i < 4; i++) await deliveries.place(mailbox);
    const before = ids(await walk(mailbox, since));
    await archive(mailbox, before[1] ?? '');
    const after = await walk(mailbox, since);
    expect(ids(after)).toEqual([before[0], before[2], before[3], before[1]]);
    expect(after[3]?.placement).toBe('archived');
  });

  it('goes on from the last change that was seen', async () => {
    const mailbox = await service.mailbox({ automation: false });
    for (let i = 0; i < 4; i++) await deliveries.place(mailbox);
    const seen = await walk(mailbox, since);
    const updatedSince = seen.at(-1)?.updatedAt ?? '';
    const [first] = seen;
    await sleep(5);
    await archive(mailbox, first?.id ?? '');
    const rest = await walk(mailbox, { ...since, updatedSince });
    expect(ids(rest).at(-1)).toBe(first?.id);
    expect(ids(rest)).not.toContain(seen[1]?.id);
  });

  it('shows again what changes while it goes on', async () => {
    const mailbox = await service.mailbox({ automation: false });
    for (let i = 0; i < 6; i++) await deliveries.place(mailbox);
    const all = ids(await walk(mailbox, since));
    let changed = false;
    const seen = await walk(mailbox, { ...since, limit: 2 }, async () => {
      if (!changed) await archive(mailbox, all[0] ?? '');
      changed = true;
      await sleep(5);
    });
    expect(ids(seen)).toEqual([...all, all[0]]);
  });

  it('misses no change that commits late', async () => {
    const mailbox = await service.mailbox({ automation: false });
    const slow = await deliveries.place(mailbox);
    const quick = await deliveries.place(mailbox);
    const seen = await walk(mailbox, since);
    const updatedSince = seen.at(-1)?.updatedAt ?? '';
    const late = new Client({ connectionString: service.database.urls.mail });
    await late.connect();
    await late.query(
      `SET search_path = mail; SELECT set_config('postroom.tenant', '${mailbox.tenantId}', false)`,
    );
    await late.query('BEGIN');
    await late.query('UPDATE conversations SET unread = false WHERE id = $1', [slow]);
    await sleep(20);
    await archive(mailbox, quick);
    const during = await walk(mailbox, { ...since, updatedSince });
    expect(during.find(({ id }) => id === quick)?.placement ?? 'inbox').toBe('inbox');
    await late.query('COMMIT');
    await late.end();
    const after = await walk(mailbox, {
      ...since,
      updatedSince: during.at(-1)?.updatedAt ?? updatedSince,
    });
    expect(ids(after).slice(-2)).toEqual([slow, quick]);
  });

  it('loses nothing to writers at work', async () => {
    const mailbox = await service.mailbox({ automation: false });
    const all: string[] = [];
    for (let i = 0; i < 12; i++) all.push(await deliveries.place(mailbox, { messageId: `m${i}` }));
    let writing = true;
    const writer = async (offset: number): Promise<void> => {
      for (let i = offset; writing; i += 4) {
        await deliveries.place(mailbox, { inReplyTo: `m${i % all.length}` });
      }
    };
    const writers = [0, 1, 2, 3].map(writer);
    const copy = new Map<string, number>();
    let place: Filters = since;
    /** One page of the walk, and at its end the start of the next walk. */
    const step = async (): Promise<boolean> => {
      const { conversations: seen, nextPageToken } = (await list(mailbox, { ...place, limit: 3 }))
        .body;
      for (const { id, version } of seen) copy.set(id, version);
      const updatedSince = nextPageToken === null ? seen.at(-1)?.updatedAt : place.updatedSince;
      place = {
        ...since,
        updatedSince: updatedSince ?? place.updatedSince ?? '',
        ...(nextPageToken !== null && { pageToken: nextPageToken }),
      };
      return nextPageToken !== null;
    };
    const endsMs = Date.now() + (isFullRun() ? 3_000 : 1_000);
    while (Date.now() < endsMs) await step();
    writing = false;
    await Promise.all(writers);
    await sleep(50);
    while (await step());
    while (await step());
    const truth = await walk(mailbox, { placement: 'all' });
    expect([...copy].toSorted()).toEqual(truth.map(({ id, version }) => [id, version]).toSorted());
  });
});
