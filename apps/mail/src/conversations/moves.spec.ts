import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  conversations,
  drafts,
  moves,
  newId,
  placements,
  type ConversationAnswer,
  type LeaseAnswer,
  type MarkAnswer,
  type MoveAnswer,
  type Placement,
} from '@postroom/contracts';
import { runMaintenance } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { aKey, aMember } from '@postroom/service-testing';
import { purgeTrash } from '../mail-app.js';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

let service: MailService;
let deliveries: Deliveries;
let database: Database;
let mailbox: MailboxOf;
let id: string;

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
beforeEach(async () => {
  mailbox = await service.mailbox({ automation: false });
  id = await deliveries.place(mailbox, { messageId: 'a' });
});

const ask = <T>(
  name: 'read' | 'move',
  given: object,
  { where = mailbox, of = id, preview = false } = {},
): Promise<Answer<T>> =>
  service.call<T>(
    moves[name],
    { id: of, mailbox: where.address, ...given },
    {
      caller: where.caller,
      preview,
    },
  );
const move = async (placement: Placement) =>
  (await ask<MoveAnswer>('move', { placement })).body.result;
const row = async () => {
  const [found] = await service.rows<{ placement: string; unread: boolean; version: number }>(
    'SELECT placement, unread, version FROM conversations WHERE id = $1',
    [id],
  );
  return found;
};
const told = async (): Promise<string[]> =>
  (await service.notices(mailbox)).map(({ type }) => type);

/** Both, with an input that changes something. */
const changes = [
  ['read', { unread: false }],
  ['move', { placement: 'spam' }],
] as const;

describe.each(changes)('conversations.%s', (name, given) => {
  it('answers the version, and is done to the one that was read alone', async () => {
    const stale = await ask(name, { ...given, ifMatch: 0 });
    expect([stale.status, stale.problem]).toEqual([409, 'VERSION_CONFLICT']);
    expect(await row()).toMatchObject({ version: 1 });
    const { status, body } = await ask(name, { ...given, ifMatch: 1 });
    expect([status, body]).toEqual([
      200,
      { ok: true, id, result: { ...given, changed: true, version: 2 } },
    ]);
    expect(await row()).toMatchObject({ ...given, version: 2 });
  });

  it('repeated, or only previewed, changes nothing; members are told once, and nobody else', async () => {
    expect((await ask(name, given, { preview: true })).body).toMatchObject({
      target: { type: 'conversation', id, version: 1 },
      difference: { after: given },
    });
    expect(await row()).toMatchObject({ version: 1 });
    await ask(name, given);
    const again = await ask(name, given);
    expect(again.body).toMatchObject({ result: { ...given, changed: false, version: 2 } });
    expect(await told()).toEqual([name === 'read' ? 'conversation.read' : 'conversation.moved']);
    expect(await service.events(mailbox)).toEqual([]);
    const found = (await service.audit(mailbox)).filter(({ subjectId }) => subjectId === id);
    expect(found.map(({ action }) => action)).toEqual(Array(2).fill(`conversations.${name}`));
  });

  it('answers CONVERSATION_NOT_FOUND for one that is not in the mailbox', async () => {
    for (const [where, of] of [
      [mailbox, newId('cnv')],
      [await service.mailbox({ tenantId: mailbox.tenantId }), id],
      [{ ...mailbox, caller: aKey() }, id],
      [{ ...mailbox, address: 'nobody@acme.test' }, id],
    ] as const) {
      const { status, problem } = await ask(name, given, { where, of });
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
  });
});

describe('conversations.read', () => {
  it('is ended by a new message, and marks as unread again', async () => {
    await ask('read', { unread: false });
    await deliveries.deliver(mailbox, { inReplyTo: 'a' });
    expect(await row()).toMatchObject({ unread: true });
    await ask('read', { unread: false });
    const { body } = await ask<MarkAnswer>('read', { unread: true });
    expect(body.result).toMatchObject({ unread: true, changed: true });
  });
});

describe('conversations.move', () => {
  it('moves from everywhere to everywhere, and counts what is archived and reopened', async () => {
    for (const from of placements) {
      for (const to of placements) {
        await move(from);
        expect(await move(to)).toMatchObject({ placement: to, changed: from !== to });
        expect(await row()).toMatchObject({ placement: to });
      }
    }
    const types = await told();
    const [counted] = await service.rows(
      `SELECT count(*) FILTER (WHERE kind = 'conversations.archived')::int AS archived,
         count(*) FILTER (WHERE kind = 'conversations.reopened')::int AS reopened
       FROM volume_deltas WHERE tenant_id = $1`,
      [mailbox.tenantId],
    );
    const of = (type: string) => types.filter((one) => one === `conversation.${type}`).length;
    expect(counted).toEqual({ archived: of('archived'), reopened: of('reopened') });
    expect(of('archived')).toBeGreaterThan(of('reopened'));
  });
});

describe('trash and spam', () => {
  const days = 30;
  const empty = (): Promise<void> => runMaintenance(database, [purgeTrash(days)]);
  /** Lets days pass for a conversation. */
  const age = (column: string, by: number) =>
    service.rows(
      `UPDATE conversations SET ${column} = ${column} - make_interval(days => $2) WHERE id = $1`,
      [id, by],
    );
  const exists = async (): Promise<boolean> => (await row()) !== undefined;
  const bytes = async (): Promise<number> => {
    const [used] = await service.rows<{ used: number }>(
      // Without what changes leave behind, which is counted there too.
      `SELECT sum(CASE quota WHEN 'storedBytes' THEN amount ELSE -amount END)::float8 AS used
       FROM quota_counters WHERE tenant_id = $1 AND quota IN ('storedBytes', 'recordedBytes')`,
      [mailbox.tenantId],
    );
    return used?.used ?? 0;
  };

  it('are emptied after their days, with all that belongs to a conversation, and its bytes are given back', async () => {
    const other = await deliveries.place(mailbox, { messageId: 'b', text: 'It stays.' });
    const before = await bytes();
    await deliveries.deliver(mailbox, { inReplyTo: 'a', text: 'A second message.' });
    const { address, caller } = mailbox;
    const comment = { id, mailbox: address, text: 'Spam?' };
    await service.call(conversations.comment, comment, { caller, idempotencyKey: newId('req') });
    const draft = { mailbox: address, draft: { threadId: id } };
    expect((await service.call(drafts.create, draft, { caller })).status).toBe(201);
    await move('trash');
    await age('last_message_at', days + 1);
    await age('trashed_at', days - 1);
    await empty();
    expect(await exists()).toBe(true);
    await age('trashed_at', 2);
    await empty();
    expect(await exists()).toBe(false);
    const left = [
      'messages',
      'raw_messages',
      'search_documents',
      'comments',
      'drafts',
      'thread_ids',
    ];
    const counts = await Promise.all(left.map((table) => service.count(table, mailbox)));
    expect(counts).toEqual([1, 1, 1, 0, 0, 1]);
    expect(await bytes()).toBeLessThan(before);
    expect(await service.rows('SELECT id FROM conversations WHERE id = $1', [other])).toHaveLength(
      1,
    );
    // An answer to what is gone begins a conversation.
    await deliveries.deliver(mailbox, { messageId: 'c', inReplyTo: 'a' });
    expect(await service.list(mailbox)).toHaveLength(2);
  });

  it('keep what was taken out, or has received something since', async () => {
    await move('spam');
    await age('trashed_at', days + 1);
    await empty();
    expect(await exists()).toBe(true);
    await age('last_message_at', days + 1);
    await move('inbox');
    await move('trash');
    await empty();
    expect(await exists()).toBe(true);
  });
});

describe('conversations.lease', () => {
  const lease = (given: object, caller = mailbox.caller, where = mailbox) =>
    service.call<LeaseAnswer & { leasedBy?: object }>(
      moves.lease,
      { id, mailbox: where.address, ...given },
      { caller },
    );
  const shown = async () => {
    const input = { id, mailbox: mailbox.address };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, {
      caller: mailbox.caller,
    });
    return body.conversation.leasedBy;
  };
  const other = () =>
    aKey({ tenantId: mailbox.caller.tenantId, grants: { [mailbox.address]: 'read' } });

  it('is one key’s at a time until it ends, and a member’s whenever it wants', async () => {
    expect(await shown()).toBeNull();
    const { status, body } = await lease({});
    const until = Date.parse(body.result?.until ?? '');
    expect([status, await shown()]).toEqual([200, body.result]);
    expect(until - Date.now()).toBeGreaterThan(300_000);
    expect((await lease({ seconds: 5 })).status).toBe(200);
    for (const release of [false, true]) {
      const refused = await lease({ release }, other());
      expect([refused.status, refused.problem]).toEqual([409, 'CONVERSATION_LEASED']);
      expect(refused.body).toMatchObject({ fields: { leasedBy: await shown() } });
    }
    const member = aMember({ tenantId: mailbox.caller.tenantId });
    expect((await lease({}, member)).status).toBe(200);
    expect(await shown()).toMatchObject({ by: { type: 'member', id: member.memberId } });
    expect((await lease({ release: true })).status).toBe(409);
    expect((await lease({ release: true }, member)).body.result).toBeNull();
    expect(await shown()).toBeNull();
    await lease({}, other());
    await service.rows(`UPDATE conversation_leases SET until = now()`);
    expect((await lease({})).status).toBe(200);
  });

  it('is told to members, and is no write: no event, no audit record, no other version', async () => {
    const before = await row();
    await lease({});
    expect(await told()).toEqual(['conversation.leased']);
    expect(await service.events(mailbox)).toEqual([]);
    expect(await row()).toEqual(before);
    const actions = (await service.audit(mailbox)).map(({ action }) => action);
    expect(actions).not.toContain('conversations.lease');
  });

  it('is of a conversation of the mailbox, and of two at once one’s', async () => {
    const elsewhere = await service.mailbox({ automation: false });
    const { problem } = await lease({}, elsewhere.caller, elsewhere);
    expect(problem).toBe('CONVERSATION_NOT_FOUND');
    const both = await Promise.all([lease({}, other()), lease({}, other())]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
