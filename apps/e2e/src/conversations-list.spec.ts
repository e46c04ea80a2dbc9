import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deliver } from './mail.js';
import type { PublicApi } from './public-api.js';
import { type ConversationItem, errorOf, itemFields, type Page, pageOf, recordOf } from './wire.js';
import { Workplace } from './workplace.js';

const path = '/v1/conversations';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe('conversations.list', () => {
  let place: Workplace;
  let api: PublicApi;
  let mailbox: string;
  let other: string;
  const subjects = Array.from({ length: 30 }, (_, i) => `Order ${i} ${randomUUID()}`);

  const page = async (values: Record<string, string | number> = {}): Promise<Page> =>
    pageOf(await api.get(path, { mailbox, ...values }));

  /** Reads every page; `between` runs after each but the last. */
  const walk = async (
    limit: number,
    between: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<ConversationItem[]> => {
    const seen: ConversationItem[] = [];
    for (let token: string | null = ''; token !== null;) {
      const next: Page = await page({ limit, ...(token !== '' && { pageToken: token }) });
      expect(next.conversations.length).toBeLessThanOrEqual(limit);
      seen.push(...next.conversations);
      token = next.nextPageToken;
      if (token !== null) await between();
    }
    return seen;
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    other = await place.mailbox();
    api = await place.key({
      mailboxes: [
        { address: mailbox, access: 'write' },
        { address: other, access: 'write' },
      ],
    });
    for (const subject of subjects) {
      await deliver(place.product, {
        to: mailbox,
        subject,
        from: { name: 'Zoé', address: 'zoe@correspondent.example' },
      });
    }
    for (let i = 0; i < 2; i++) await deliver(place.product, { to: other });
  });

  it('answers mailbox, conversations and nextPageToken', async () => {
    const answer = await api.get(path, { mailbox });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    expect(Object.keys(recordOf(answer)).sort()).toEqual([
      'conversations',
      'mailbox',
      'nextPageToken',
    ]);
    expect(pageOf(answer).mailbox).toBe(mailbox);
  });

  it('answers an empty page for a mailbox that nothing has come to', async () => {
    const empty = await place.mailbox();
    const key = await place.keyFor(empty);
    expect(recordOf(await key.get(path, { mailbox: empty }))).toEqual({
      mailbox: empty,
      conversations: [],
      nextPageToken: null,
    });
  });

  it('shows the newest first', async () => {
    const listed = await walk(100);
    expect(listed.map((item) => item.subject)).toEqual(subjects.toReversed());
    const times = listed.map((item) => Date.parse(item.lastMessageAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('shows every field of an item, null where there is no value', async () => {
    const { conversations } = await page();
    for (const item of conversations) {
      expect(Object.keys(item)).toEqual(expect.arrayContaining([...itemFields]));
    }
    const correspondent = { email: 'zoe@correspondent.example', name: 'Zoé' };
    expect(conversations[0]).toMatchObject({
      id: expect.stringMatching(/^cnv_/),
      mailbox,
      subject: subjects.at(-1),
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
      participants: expect.arrayContaining([correspondent]),
      from: correspondent,
      lastMessageId: expect.stringMatching(/^msg_/),
      lastMessageAt: expect.stringMatching(instant),
      waitingSince: expect.stringMatching(instant),
      snoozedUntil: null,
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
      version: expect.any(Number),
    });
  });

  it('cuts the preview at 200 characters', async () => {
    const box = await place.mailbox();
    const key = await place.keyFor(box);
    const item = await place.receive(key, box, { text: 'é😀x '.repeat(200) });
    expect([...item.preview].length).toBeLessThanOrEqual(200);
    expect([...item.preview].length).toBeGreaterThan(150);
    expect(item.preview.isWellFormed()).toBe(true);
  });

  it('shows 25 a page when not told', async () => {
    const first = await page();
    expect(first.conversations).toHaveLength(25);
    const second = await page({ pageToken: first.nextPageToken ?? '' });
    expect(second.conversations).toHaveLength(5);
    expect(second.nextPageToken).toBeNull();
  });

  it.each([1, 100])('accepts a limit of %s', async (limit) => {
    expect((await page({ limit })).conversations).toHaveLength(Math.min(limit, subjects.length));
  });

  it.each(['0', '101', '-1', '1.5', 'ten', '', ' 5', '1e1', '0x10', 'NaN', '9'.repeat(40)])(
    'refuses a limit of "%s" and names the field',
    async (limit) => {
      const answer = await api.get(path, { mailbox, limit });
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toContainEqual(expect.objectContaining({ field: 'limit' }));
    },
  );

  it.each([1, 7, 29, 30])(
    'shows each conversation once over pages of %s, with a null token at the end',
    async (limit) => {
      const listed = await walk(limit);
      expect(listed.map((item) => item.subject)).toEqual(subjects.toReversed());
    },
  );

  it('lets the limit change along the way', async () => {
    const first = await page({ limit: 3 });
    const second = await page({ limit: 100, pageToken: first.nextPageToken ?? '' });
    expect(second.conversations.map((item) => item.subject)).toEqual(
      subjects.toReversed().slice(3),
    );
  });

  it('goes on for another key of the workspace that has the mailbox', async () => {
    const first = await page({ limit: 10 });
    const colleague = await place.keyFor(mailbox);
    const second = pageOf(
      await colleague.get(path, { mailbox, pageToken: first.nextPageToken ?? '' }),
    );
    expect(second.conversations).toHaveLength(20);
  });

  it('shows what was there once, and once only, while mail arrives between the pages', async () => {
    const box = await place.mailbox();
    api = await place.key({
      mailboxes: [mailbox, other, box].map((address) => ({ address, access: 'write' as const })),
    });
    const before = Array.from({ length: 12 }, (_, i) => `Before ${i}`);
    for (const subject of before) await deliver(place.product, { to: box, subject });
    const usual = mailbox;
    mailbox = box;
    try {
      const listed = await walk(3, () =>
        deliver(place.product, { to: box, subject: `During ${randomUUID()}` }),
      );
      expect(listed.map((item) => item.subject)).toEqual(before.toReversed());
    } finally {
      mailbox = usual;
    }
  });

  describe('refuses the page token', () => {
    let token: string;

    beforeAll(async () => {
      token = (await page({ limit: 1 })).nextPageToken ?? '';
    });

    const refused = async (values: Record<string, string>): Promise<void> => {
      const answer = await api.get(path, { mailbox, ...values });
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toMatchObject({ error: expect.any(String) });
    };

    it('of another mailbox', () => refused({ mailbox: other, pageToken: token }));

    it('with any of its characters changed', async () => {
      for (let i = 0; i < token.length; i += 5) {
        const changed = token.charAt(i) === 'A' ? 'B' : 'A';
        await refused({ pageToken: token.slice(0, i) + changed + token.slice(i + 1) });
      }
    });

    it('cut short', () => refused({ pageToken: token.slice(0, -3) }));

    it('with something added', () => refused({ pageToken: `${token}AAAA` }));

    it.each(['', 'x', '{}', 'null', 'é', '\u0000', '%', '../..', 'A'.repeat(5000)])(
      'that is none: %j',
      (pageToken) => refused({ pageToken }),
    );
  });

  it('refuses a request without mailbox and names the field', async () => {
    for (const values of [{}, { mailbox: '' }]) {
      const answer = await api.get(path, values);
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toContainEqual(expect.objectContaining({ field: 'mailbox' }));
    }
  });
});
