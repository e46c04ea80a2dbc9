// tags: own
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tenantOf, type Product } from './product.js';
import { ProductProcess, startNewProduct, startProduct } from './product-process.js';
import type { PublicApi } from './public-api.js';
import { SettingsApi } from './settings-api.js';
import { StoredRows } from './stored-rows.js';
import { conversationOf, pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const resources = ['conversations', 'contacts', 'calendar', 'tasks'];
const scopes = [...resources.flatMap((what) => [`read:${what}`, `write:${what}`]), 'drafts:write'];
const times = { startMs: 1_800_000_000_000, endMs: 1_800_003_600_000 };
const files = [
  { filename: 'note.txt', content: 'From me\nto you\n', contentTransferEncoding: '7bit' as const },
  { filename: 'data.bin', content: Buffer.from([0, 13, 10, 255, 62]) },
];

/** Tables whose rows are the same in both places, to the last byte. */
const unchanged = new RegExp(
  `^(${[
    'access\\.teams',
    'mail\\.(mailboxes|conversations|conversation_labels|comments|labels|thread_ids|attachments)',
    'mail\\.(raw_messages|search_documents|drafts|draft_files|signatures|known_contacts)',
    'directory\\.(address_books|address_book_members|contacts|merged_contacts)',
    'scheduling\\.(calendars|calendar_events|tasks|reminder_cursors|invitation_rules)',
  ].join('|')})$`,
);

/** A workspace that leaves one installation for another, which has a workspace of the same name. */
describe('a workspace that was exported', () => {
  let folder: string;
  let there: ProductProcess;
  let here: ProductProcess;
  let mailbox: string;
  let before: Awaited<ReturnType<typeof shown>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-import-'));
    [there, here] = await Promise.all([startProduct(), startNewProduct()]);
    const acme = await Workplace.open('acme', there.product);
    mailbox = await acme.mailbox();
    const api = await acme.keyFor(mailbox, { scopes, member: acme.tenant.admin.email });
    await fill(acme, api);
    before = await shown(api, there.product);
    const to = join(folder, 'whole');
    const exported = await there.command('workspace', 'export', '--name', 'acme', '--to', to);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
  });
  afterAll(async () => {
    await Promise.all([there.remove(), here.remove()]);
    await rm(folder, { recursive: true, force: true });
  });

  async function fill(acme: Workplace, api: OwnKey): Promise<void> {
    const write = async (path: string, body: object) => {
      const answer = await api.post(path, body, randomUUID());
      expect(answer.status).toBeLessThan(300);
      return recordOf(answer);
    };
    const first = await acme.receive(api, mailbox, { text: 'Hello\n\nFrom me\n>From you\n' });
    const second = await acme.receive(api, mailbox, {
      text: 'Invoices of août',
      attachments: files,
    });
    await write(`/v1/conversations/${first.id}/comment`, { mailbox, text: 'Seen, é' });
    await write(`/v1/conversations/${second.id}/labels`, { mailbox, add: ['Factures'] });
    await write(`/v1/conversations/${first.id}/archive`, { mailbox });
    await write('/v1/drafts', { mailbox, subject: 'To come', body: '<p>x</p>' });
    const { book } = recordOf(await acme.settings.post('/address-books', { name: 'Clients / 1' }));
    const { id: bookId } = book as { id: string };
    const emails = [{ value: 'zoe@correspondent.example' }];
    await write('/v1/contacts', { bookId, displayName: 'Zoé', emails });
    await write('/v1/tasks', { title: 'Call Zoé', threadId: second.id });
    const { calendar } = await write('/v1/calendars', { name: 'Visits' });
    const { id: calendarId } = calendar as { id: string };
    await write('/v1/calendar-events', { calendarId, title: 'Visit of Zoé', ...times });
  }

  /** Everything that a key of the mailbox is shown. */
  async function shown(api: PublicApi, product: Product) {
    const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    const whole = await Promise.all(
      conversations.map(async ({ id }) =>
        conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox })),
      ),
    );
    const attached = whole.flatMap(({ messages }) => messages.flatMap((one) => one.attachments));
    const query = new URLSearchParams({ mailbox }).toString();
    const bytes = attached.map(async ({ id }) => {
      const url = `${product.baseUrl}/v1/attachments/${id}?${query}`;
      const answer = await fetch(url, { headers: { 'X-Api-Key': api.key } });
      return Buffer.from(await answer.arrayBuffer()).toString('hex');
    });
    const read = async (path: string, values: Record<string, string | number> = {}) => {
      const answer = await api.get(path, values);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      return recordOf(answer);
    };
    const found = await read('/v1/search', { mailbox, q: 'août' });
    const span = { from: times.startMs - 1, to: times.endMs + 1 };
    return {
      conversations,
      whole,
      files: await Promise.all(bytes),
      found,
      drafts: await read('/v1/drafts', { mailbox }),
      contacts: await read('/v1/contacts'),
      calendars: await read('/v1/calendars'),
      events: await read('/v1/calendar-events', span),
      tasks: await read('/v1/tasks'),
    };
  }

  const importFrom = (from: string, ...more: string[]) =>
    here.command('workspace', 'import', '--from', join(folder, from), ...more);

  it('is not taken for the one that has its name', async () => {
    expect(await importFrom('whole')).toMatchObject({
      code: 1,
      stderr: 'Another workspace is named "acme": give a --name.\n',
    });
  });

  it('shows the same in its new place, under the same ids', async () => {
    const done = await importFrom('whole', '--name', 'acme again');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('mail.raw_messages: ');
    expect(await rowsOf(here)).toEqual(await rowsOf(there));
    const api = await keyOfImported();
    const after = await shown(api, here.product);
    expect(after).toEqual(before);
    expect(after.files).toEqual(files.map(({ content }) => Buffer.from(content).toString('hex')));
    expect(JSON.stringify(after.found)).toContain('Invoices');
  });

  /**
   * The amount that a row adds to a quota: arrivals of today count for the day, in the place where they arrived, and
   * approvals and what writes have recorded stay there.
   */
  function countedIn(table: string, start: string): [quota: string, amount: number][] {
    // Comments are counted a minute later.
    if (table === 'mail.volume_deltas' && start.includes(',comments,')) return [['comments', 1]];
    if (!table.endsWith('.quota_counters') || table.startsWith('access.')) return [];
    const [, quota, day, amount] = /^\(\w+,(\w+),([\w-]+),[\w-]+,(-?\d+)\)$/.exec(start) ?? [];
    if (quota === 'recordedBytes') return [['storedBytes', -Number(amount)]];
    return quota === undefined || day !== '-infinity' ? [] : [[quota, Number(amount)]];
  }

  /** The workspace in a database: its rows by table, and the counted amount of each quota. */
  async function rowsOf({ demoFile }: ProductProcess) {
    const { id } = tenantOf(there.product, 'acme');
    const stored = await StoredRows.of(demoFile);
    const rows = (await stored.snapshot()).filter(({ start }) => start.includes(id));
    await stored.close();
    const tables = new Map<string, string[]>();
    const used: Record<string, number> = {};
    for (const { table, hash, start } of rows) {
      if (unchanged.test(table)) tables.set(table, [...(tables.get(table) ?? []), hash].sort());
      for (const [quota, amount] of countedIn(table, start))
        used[quota] = (used[quota] ?? 0) + amount;
    }
    expect([...tables.keys()]).toEqual(
      expect.arrayContaining([
        'mail.raw_messages',
        'directory.contacts',
        'scheduling.tasks',
        'scheduling.invitation_rules',
      ]),
    );
    return { tables: new Map([...tables].sort()), used };
  }

  /** A key of its administrator, who comes in by a link. */
  async function keyOfImported(): Promise<OwnKey> {
    const acme = tenantOf(there.product, 'acme');
    const { email } = acme.admin;
    const named = ['--name', 'acme again', '--admin', email];
    const { stdout } = await here.command('workspace', 'create', ...named);
    const token = new URL(stdout.trim()).searchParams.get('token');
    const password = 'Correct horse battery';
    await new SettingsApi(here.product).post('/invitations/accept', { token, password });
    const imported = { ...acme, admin: { email, password } };
    const place = await Workplace.open('acme', { ...here.product, tenants: [imported] });
    return place.keyFor(mailbox, { scopes, member: email });
  }

  it('goes on there with its conversations', async () => {
    const api = await keyOfImported();
    const [conversation] = before.conversations;
    const path = `/v1/conversations/${conversation?.id ?? ''}`;
    await api.post(`${path}/comment`, { mailbox, text: 'Once more' }, randomUUID());
    const { comments } = conversationOf(await api.get(path, { mailbox }));
    expect(comments.map(({ text }) => text)).toContain('Once more');
  });

  it('is left as it is when it is imported again, and cannot have two names', async () => {
    expect(await importFrom('whole', '--name', 'acme again')).toMatchObject({
      code: 0,
      stdout: 'The workspace "acme again" is here already; nothing was changed.\n',
    });
    expect(await importFrom('whole', '--name', 'another')).toMatchObject({
      code: 1,
      stderr: 'The workspace is here already, and is named "acme again".\n',
    });
    const globex = await Workplace.open('globex', here.product);
    expect((await globex.settings.get('/workspace')).status).toBe(200);
  });
});
