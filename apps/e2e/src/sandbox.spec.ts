// tags: own
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exampleOf, sandbox, sandboxMail, type Sandbox } from '@postroom/contracts';
import { Receiver, type Received } from '@postroom/testing';
import { differences } from './example-values.js';
import { type DemoTenant, tenantOf } from './product.js';
import { type ProductProcess, startProduct } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { conversationOf, itemsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const scopes = ['conversations', 'tasks', 'calendar'].flatMap((what) => [
  `read:${what}`,
  `write:${what}`,
]);

interface Posted {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly data: { readonly task: Readonly<Record<string, unknown>> };
}

/** A workspace for integrators beside the demo's, which are as all others. */
describe('a sandbox', () => {
  let running: ProductProcess;
  let place: Workplace;
  let demo: Workplace;
  let api: OwnKey;
  let mailbox: string;
  let receiver: Receiver;

  beforeAll(async () => {
    running = await startProduct({ WEBHOOK_RETRY_DELAYS_MS: '0,5s,5m,30m' });
    receiver = await Receiver.start();
    const { product } = running;
    const named = ['--name', 'Integration Tests', '--admin', 'ada@sandbox.test'];
    const { stdout } = await running.command('sandbox', 'create', ...named);
    const [link = '', domain = ''] = stdout.trim().split('\n');
    const admin = { email: 'ada@sandbox.test', password: 'Correct horse battery' };
    const token = new URL(link).searchParams.get('token');
    const accepted = { token, password: admin.password };
    await new SettingsApi(product).post('/invitations/accept', accepted);
    const tenant = { ...tenantOf(product, 'acme'), admin } satisfies DemoTenant;
    place = await Workplace.open('acme', { ...product, tenants: [tenant] });
    demo = await Workplace.open('acme', product);
    mailbox = `support@${domain}`;
    await place.settings.post('/mailboxes', { address: mailbox, name: 'Support' });
    const rights = { scopes: [...scopes, 'mail:send', 'drafts:write'], member: admin.email };
    api = await place.keyFor(mailbox, rights);
  });
  afterAll(async () => {
    await receiver.close();
    await running.remove();
  });

  const sandboxOf = async (answer: ReturnType<SettingsApi['get']>): Promise<Sandbox> =>
    recordOf(await answer)['sandbox'] as Sandbox;
  const now = async () => Date.parse((await sandboxOf(place.settings.get('/sandbox'))).now);
  const advance = (advanceMs: number) =>
    sandboxOf(place.settings.post('/sandbox/clock', { advanceMs }));
  const subscribed = async (path: string, events: readonly string[]): Promise<string> => {
    const url = receiver.url(path);
    return (
      recordOf(await place.settings.post('/webhooks', { url, events }))['webhook'] as { id: string }
    ).id;
  };
  const posted = ({ body }: Received) => JSON.parse(body.toString()) as Posted;

  it('has its routes alone: another workspace has none, whatever it asks', async () => {
    const asked = [
      demo.settings.get('/sandbox'),
      demo.settings.post('/sandbox/clock', { advanceMs: -1 }),
      demo.settings.post('/sandbox/receive', {}),
    ];
    for (const { status, text } of await Promise.all(asked))
      expect([status, JSON.parse(text)]).toMatchObject([404, { error: 'ROUTE_NOT_FOUND' }]);
  });

  it('sends nothing out, and is answered to by described mail', async () => {
    const mail = { to: ['camille@correspondent.example'], subject: randomUUID(), body: 'It left.' };
    const sent = recordOf(await api.post('/v1/send', { mailbox, ...mail }, randomUUID()));
    const given = { mailbox, from: 'camille@correspondent.example', subject: 'Re', body: 'Thanks' };
    const answer = { ...given, inReplyTo: sent['id'] };
    const received = recordOf(await place.settings.post('/sandbox/receive', answer));
    const path = `/v1/conversations/${String(received['threadId'])}`;
    const { messages } = conversationOf(await api.get(path, { mailbox }));
    expect(messages.map(({ direction }) => direction)).toEqual(['outbound', 'inbound']);
    const outside = await readdir(running.product.outbox);
    const texts = await Promise.all(
      outside.map((name) => readFile(join(running.product.outbox, name), 'utf8').catch(() => '')),
    );
    expect(texts.filter((text) => text.includes(mail.subject))).toEqual([]);
  });

  it.each([
    ['backward', -1],
    ['nowhere', 0],
    ['for more than ten years', 3_653 * dayMs + 1],
    ['by half a millisecond', 1.5],
  ])('does not move its clock %s', async (_, advanceMs) => {
    const { status, text } = await place.settings.post('/sandbox/clock', { advanceMs });
    const { details } = JSON.parse(text) as { details: readonly { field: string }[] };
    expect([status, details]).toMatchObject([400, [{ field: 'advanceMs' }]]);
  });

  it('goes through a year of a weekly task with its webhooks, in order, step by step', async () => {
    const webhook = await subscribed('/year', ['task.created', 'task.completed']);
    // One of five is taken at the second attempt alone, five seconds later.
    let posts = 0;
    const failed = new Set<string>();
    receiver.answer = (request, response) => {
      const { id } = posted(request);
      const fails = !failed.has(id) && (posts += 1) % 5 === 0;
      if (fails) failed.add(id);
      response.writeHead(fails ? 503 : 204).end();
    };
    const beganMs = await now();
    const reminded = { reminders: [{ minutes: 60 }] };
    const rule = { freq: 'weekly', interval: 1, timeZone: 'Europe/Paris' };
    const body = {
      title: 'Review',
      dueMs: beganMs + weekMs,
      recurrence: rule,
      mailbox,
      ...reminded,
    };
    let { task } = recordOf(await api.post('/v1/tasks', body, randomUUID())) as {
      task: { id: string };
    };
    let stops = 0;
    for (let week = 1; week <= 52; week += 1) {
      const { advance: moved } = await advance(weekMs);
      expect(moved).toMatchObject({ state: 'done', advancedMs: weekMs });
      stops += moved?.stops ?? 0;
      const done = JSON.stringify({ status: 'done', mailbox });
      const headers = { 'Idempotency-Key': randomUUID() };
      const answer = recordOf(await api.request('PATCH', `/v1/tasks/${task.id}`, done, headers));
      const { nextTaskId } = answer['task'] as { nextTaskId: string };
      task = { id: nextTaskId };
    }
    const last = await advance(hourMs);
    expect(last.advance).toMatchObject({ state: 'done' });
    const taken = receiver.at('/year').map(posted);
    const each = new Set(taken.map(({ id }) => id));
    // A reminder a week, and the second attempts, unless their five seconds went by of themselves.
    expect(stops).toBeGreaterThanOrEqual(52);
    expect(stops).toBeLessThanOrEqual(52 + failed.size);
    expect([each.size, taken.length]).toEqual([105, 105 + failed.size]);
    const times = [...new Map(taken.map((one) => [one.id, Date.parse(one.occurredAt)])).values()];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(beganMs + 52 * weekMs - 1);
    const deliveries = itemsOf(
      await place.settings.get(`/webhooks/${webhook}/deliveries?limit=50`),
    );
    const ofTwo = deliveries.find(({ attempts }) => (attempts as object[]).length === 2);
    const [first, second] = (ofTwo?.['attempts'] ?? []) as { at: string }[];
    const waitedMs = Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '');
    // Five seconds, a fifth more or less.
    expect(waitedMs).toBeGreaterThanOrEqual(4_000);
    receiver.answer = (_request, response) => void response.writeHead(204).end();
  });

  it('sends scheduled drafts, ends snoozes, expires approvals and keys at their times', async () => {
    await subscribed('/due', ['message.sent']);
    const at = await now();
    const iso = (aheadMs: number) => new Date(at + aheadMs).toISOString();
    const drafted = { mailbox, to: ['a@b.example'], subject: 'Later', body: 'x' };
    const { draft } = recordOf(await api.post('/v1/drafts', drafted, randomUUID())) as {
      draft: { id: string };
    };
    await place.settings.post(`/v1/drafts/${draft.id}/send`, { mailbox, sendAt: iso(2 * dayMs) });
    const given = { mailbox, from: 'b@c.example', subject: 'Snoozed', body: 'x' };
    const { threadId } = recordOf(await place.settings.post('/sandbox/receive', given));
    const conversation = `/v1/conversations/${String(threadId)}`;
    await api.post(`${conversation}/snooze`, { mailbox, until: iso(dayMs) }, randomUUID());
    const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required', scopes });
    const filed = await agent.post(`${conversation}/comment`, { mailbox, text: 'x' }, randomUUID());
    expect(filed.status).toBe(202);
    const short = await place.keyFor(mailbox, { expiresAt: iso(4 * dayMs) });
    const shown = async () => ({
      sent: receiver.at('/due').length,
      snoozed: conversationOf(await api.get(conversation, { mailbox })).snoozedUntil !== null,
      approval: itemsOf(await place.settings.get('/approvals'))[0]?.['state'],
      key: (await short.get('/v1/me')).status,
    });
    expect(await shown()).toEqual({ sent: 0, snoozed: true, approval: 'pending', key: 200 });
    const seen = [];
    for (let day = 1; day <= 4; day += 1) {
      await advance(dayMs + 1_000);
      seen.push(await shown());
    }
    const next = { sent: 0, snoozed: false, approval: 'pending', key: 200 };
    expect(seen).toEqual([
      next,
      { ...next, sent: 1 },
      { ...next, sent: 1, approval: 'expired' },
      { ...next, sent: 1, approval: 'expired', key: 401 },
    ]);
    const [sent] = receiver.at('/due').map(posted);
    const lateMs = Date.parse(sent?.occurredAt ?? '') - (at + 2 * dayMs);
    expect([lateMs >= 0, lateMs < hourMs]).toEqual([true, true]);
  });

  it('moves no time but its own', async () => {
    expect(Date.now()).toBeLessThan((await now()) - 52 * weekMs);
    const [mailboxOfDemo] = demo.tenant.mailboxes;
    const body = { mailbox: mailboxOfDemo, to: ['a@b.example'], subject: 'Now', body: 'x' };
    const key = demo.with(demo.tenant.keys.human);
    const { draft } = recordOf(await key.post('/v1/drafts', body, randomUUID())) as {
      draft: { createdAt: string };
    };
    expect(Date.parse(draft.createdAt)).toBeLessThan(Date.now() + hourMs);
  });

  it('is made by an administrator too, and gives its mailbox what it sends', async () => {
    const given = { name: `Shop ${randomUUID()}`, adminEmail: 'eve@sandbox.test' };
    const answer = recordOf(await demo.settings.post('/sandboxes', given));
    const { domain } = answer['sandbox'] as { domain: string };
    const token = new URL(String(answer['invitationUrl'])).searchParams.get('token');
    const admin = { email: given.adminEmail, password: 'Correct horse battery' };
    const { product } = running;
    await new SettingsApi(product).post('/invitations/accept', { token, password: admin.password });
    const tenant = { ...tenantOf(product, 'acme'), admin } satisfies DemoTenant;
    const own = await Workplace.open('acme', { ...product, tenants: [tenant] });
    const address = `shop@${domain}`;
    await own.settings.post('/mailboxes', { address, name: 'Shop' });
    for (const path of ['/address-books', '/v1/calendars'])
      expect((await own.settings.get(path)).text).toContain('"name"');
    const key = await own.keyFor(address, { scopes: ['mail:send'] });
    const mail = { to: ['bounce@sandbox.invalid'], subject: 'To the outbox', body: 'x' };
    recordOf(await key.post('/v1/send', { mailbox: address, ...mail }, randomUUID()));
    const sent = await own.settings.get('/sandbox/outbox');
    expect(itemsOf(sent)).toMatchObject([{ mailbox: address, subject: mail.subject }]);
    expect(differences(exampleOf(sandboxMail.list)?.answer, recordOf(sent))).toEqual([]);
    expect(itemsOf(await place.settings.get('/sandbox/outbox'))).not.toContainEqual(
      expect.objectContaining({ subject: mail.subject }),
    );
  });

  it('answers as the examples of its operations say', async () => {
    const { input: mail, answer: received } = exampleOf(sandboxMail.receive) ?? {};
    const got = await place.settings.post('/sandbox/receive', { ...mail, mailbox });
    expect(differences(received, recordOf(got))).toEqual([]);
    const { input: moved, answer } = exampleOf(sandbox.clock) ?? {};
    const clock = await place.settings.post('/sandbox/clock', moved);
    expect(differences(answer, recordOf(clock))).toEqual([]);
  });
});
