import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { recordOf, type Volumes, volumesOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const dayMs = 86_400_000;
const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

describe('analytics.summary', () => {
  let place: Workplace;
  let api: OwnKey;
  let mailbox: string;

  const path = '/v1/analytics/summary';
  const scopes = [
    ...['read:analytics', 'read:conversations', 'write:conversations'],
    'drafts:write',
  ];
  const summary = (values: Record<string, string> = {}): Promise<Answer> => api.get(path, values);
  /** The range ends tomorrow, so that midnight does not end it during the test. */
  const now = async (): Promise<Volumes> =>
    volumesOf(await summary({ from: dayFromNow(-1), to: dayFromNow(1) }));

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox, { scopes });
  });

  it('answers the volumes of the last 30 days, and that there are no other metrics', async () => {
    const answer = await summary();
    expect(recordOf(answer)).toEqual({
      summary: { volumes: expect.any(Object), metricAvailability: 'volumes_only' },
    });
    const volumes = volumesOf(answer);
    expect(volumes).toEqual({
      period: { from: expect.any(String), to: expect.any(String), timeZone: 'UTC' },
      conversations: {
        created: expect.any(Number),
        archived: expect.any(Number),
        reopened: expect.any(Number),
        open: expect.any(Number),
      },
      messages: { received: expect.any(Number), sent: expect.any(Number) },
      comments: expect.any(Number),
      drafts: { created: expect.any(Number) },
      contacts: { created: expect.any(Number) },
      events: { created: expect.any(Number) },
      tasks: { created: expect.any(Number), completed: expect.any(Number) },
      approvals: {
        pending: expect.any(Number),
        approved: expect.any(Number),
        rejected: expect.any(Number),
      },
      byDay: expect.any(Array),
      byMailbox: [{ mailbox, received: 0, sent: 0 }],
    });
    const { from, to } = volumes.period;
    expect(Date.parse(to) - Date.parse(from)).toBe(29 * dayMs);
    const days = Array.from({ length: 30 }, (_, i) =>
      new Date(Date.parse(from) + i * dayMs).toISOString().slice(0, 10),
    );
    expect(volumes.byDay.map(({ date }) => date)).toEqual(days);
    // The demo's own mail has arrived before.
    expect(volumes.messages.received).toBeGreaterThan(0);
    expect(volumes.byDay.reduce((sum, { received }) => sum + received, 0)).toBe(
      volumes.messages.received,
    );
  });

  it('counts what has happened as soon as it was answered, each thing once', async () => {
    const before = await now();
    const { id } = await place.receive(api, mailbox);
    const open = await now();
    const write = (verb: string, body: object = {}, key?: string): Promise<Answer> =>
      api.post(`/v1/conversations/${id}/${verb}`, { mailbox, ...body }, key);
    const key = `e2e-${randomUUID()}`;
    await write('comment', { text: 'Noted.' }, key);
    await write('comment', { text: 'Noted.' }, key);
    await write('archive');
    await write('archive');
    await write('reopen');
    await write('archive');
    const drafted = { mailbox, subject: 'Counted once' };
    await api.post('/v1/drafts', drafted, key);
    await api.post('/v1/drafts', drafted, key);
    const after = await now();
    const received = (volumes: Volumes): number =>
      volumes.byMailbox.find((one) => one.mailbox === mailbox)?.received ?? -1;
    expect(received(after) - received(before)).toBe(1);
    // Other spec files use this workspace too.
    const grown = (of: (volumes: Volumes) => number): number => of(after) - of(before);
    expect(grown(({ conversations }) => conversations.created)).toBeGreaterThanOrEqual(1);
    expect(grown(({ conversations }) => conversations.archived)).toBeGreaterThanOrEqual(2);
    expect(grown(({ conversations }) => conversations.reopened)).toBeGreaterThanOrEqual(1);
    expect(grown(({ comments }) => comments)).toBeGreaterThanOrEqual(1);
    expect(grown(({ drafts }) => drafts.created)).toBeGreaterThanOrEqual(1);
    expect(open.conversations.open).toBeGreaterThan(0);
  });

  it('shows the mailboxes of the key, and counts the whole workspace', async () => {
    const [other, third] = [await place.mailbox(), await place.mailbox()];
    const both = await place.key({
      scopes,
      mailboxes: [mailbox, other].map((address) => ({ address, access: 'read' })),
    });
    await place.receive(await place.keyFor(third), third);
    const period = { from: dayFromNow(-1), to: dayFromNow(1) };
    const volumes = volumesOf(await both.get(path, period));
    expect(volumes.byMailbox.map((one) => one.mailbox)).toEqual([mailbox, other].sort());
    const shown = volumes.byMailbox.reduce((sum, { received }) => sum + received, 0);
    expect(volumes.messages.received).toBeGreaterThan(shown);
  });

  it('counts nothing of another workspace', async () => {
    const globex = await Workplace.open('globex');
    const box = await globex.mailbox();
    const theirs = await globex.keyFor(box, { scopes });
    const period = { from: dayFromNow(-1), to: dayFromNow(1) };
    const before = volumesOf(await theirs.get(path, period));
    await place.receive(api, mailbox);
    const after = volumesOf(await theirs.get(path, period));
    expect(after.byMailbox).toEqual([{ mailbox: box, received: 0, sent: 0 }]);
    // Other spec files may use globex too, so only a part of the counts is known.
    expect(after.messages.received).toBeGreaterThanOrEqual(before.messages.received);
  });
});
