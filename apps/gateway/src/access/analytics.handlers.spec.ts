import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtIns, type ServiceVolumes, type VolumeCount, type Volumes } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

const path = '/v1/analytics/summary';

const counted = (kind: VolumeCount['kind'], amount: number, place: Partial<VolumeCount> = {}) => ({
  kind,
  day: null,
  scope: null,
  amount,
  ...place,
});

const ofMail: ServiceVolumes = {
  counts: [
    counted('conversations.created', 1),
    counted('conversations.created', 1, { day: '2026-01-01' }),
    counted('conversations.archived', 2),
    counted('conversations.reopened', 3),
    counted('conversations.open', 4),
    counted('messages.received', 5),
    counted('messages.received', 5, { day: '2026-01-01' }),
    counted('messages.received', 5, { scope: 'support@acme.test' }),
    counted('messages.received', 9, { scope: 'secret@acme.test' }),
    counted('messages.sent', 6),
    counted('messages.sent', 6, { day: '2026-01-01' }),
    counted('messages.sent', 6, { scope: 'support@acme.test' }),
    counted('comments', 7),
    counted('drafts.created', 8),
  ],
};

const volumesOf = (answer: Answer): Volumes =>
  (bodyOf(answer).summary as { volumes: Volumes }).volumes;

describe('analytics.summary', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    const grants = { 'support@acme.test': 'read' } as const;
    key = await gateway.key(workspace, { scopes: ['read:analytics'], grants });
    gateway.mail.answer = () => ({ body: ofMail });
  });
  afterAll(() => gateway.close());

  it('is what the services count, and nothing where none counts yet', async () => {
    const answer = await gateway.ask(key, `${path}?from=2026-01-01&to=2026-01-01`);
    expect(answer.status).toBe(200);
    expect(bodyOf(answer)).toEqual({
      summary: {
        volumes: {
          period: { from: '2026-01-01', to: '2026-01-01', timeZone: 'UTC' },
          conversations: { created: 1, archived: 2, reopened: 3, open: 4 },
          messages: { received: 5, sent: 6 },
          comments: 7,
          drafts: { created: 8 },
          byDay: [{ date: '2026-01-01', received: 5, sent: 6, newConversations: 1 }],
          byMailbox: [{ mailbox: 'support@acme.test', received: 5, sent: 6 }],
          contacts: { created: 0 },
          events: { created: 0 },
          tasks: { created: 0, completed: 0 },
          approvals: { pending: 0, approved: 0, rejected: 0 },
        },
        metricAvailability: 'volumes_only',
      },
    });
  });

  it('asks the mail service in the name of the key, for the days of the workspace', async () => {
    await gateway.rows(`UPDATE tenants SET time_zone = 'Asia/Kathmandu' WHERE tenant_id = $1`, [
      workspace.id,
    ]);
    const { period } = volumesOf(await gateway.ask(key, path));
    await gateway.rows(`UPDATE tenants SET time_zone = 'UTC' WHERE tenant_id = $1`, [workspace.id]);
    const asked = gateway.mail.calls.at(-1);
    expect(asked?.request.operation).toBe(builtIns.mail.volumes.id);
    expect(asked?.input).toEqual({ ...period, timeZone: 'Asia/Kathmandu' });
    expect(asked?.caller).toMatchObject({ type: 'key', grants: { 'support@acme.test': 'read' } });
    const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kathmandu' });
    expect(Math.abs(Date.parse(period.to) - Date.parse(there.format(new Date())))).toBeLessThan(1);
    expect(Date.parse(period.to) - Date.parse(period.from)).toBe(29 * 86_400_000);
  });

  it.each([
    ['from', 'from=yesterday'],
    ['from', 'from=2026-02-30'],
    ['from', 'from=2026-1-1'],
    ['from', 'from=2026-01-01T00:00:00Z'],
    ['to', 'to='],
    ['to', 'to=0000-01-01'],
    ['from', 'from=2026-01-02&to=2026-01-01'],
    ['from', 'from=2024-01-01&to=2025-01-01'],
    ['from', 'from=2026-01-01&from=2026-01-02'],
  ])('refuses a %s that is none: %s', async (field, query) => {
    const answer = await gateway.ask(key, `${path}?${query}`);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer).details).toEqual([expect.objectContaining({ field })]);
  });

  it('is for keys with the scope alone', async () => {
    const other = await gateway.key(workspace, { scopes: ['read:conversations'] });
    expect((await gateway.ask(other, path)).status).toBe(403);
  });

  it('answers 503 with Retry-After while the mail service cannot be reached, or fails', async () => {
    gateway.mail.answer = () => ({ status: 500, problem: 'INTERNAL', body: { violations: [] } });
    const failing = await gateway.ask(key, path);
    gateway.mail.answer = () => ({ body: ofMail });
    await gateway.mailGoes();
    const away = await gateway.ask(key, path);
    await gateway.mailComes();
    for (const answer of [failing, away]) {
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    expect((await gateway.ask(key, path)).status).toBe(200);
  });

  it('is the only way to what the services count: their own operations have no route', async () => {
    const scopes = ['read:analytics', 'read:conversations'] as const;
    const all = await gateway.key(workspace, { scopes });
    for (const where of ['/volumes', '/public/volumes', '/public/v1/volumes']) {
      const headers = { 'x-api-key': all };
      expect((await gateway.send(`${where}?from=2026-01-01`, { headers })).status).toBe(404);
    }
    const asMember = await gateway.settings(workspace.admin, 'GET', '/volumes');
    expect(asMember.status).toBe(404);
  });
});
