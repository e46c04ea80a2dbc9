import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deliver } from './mail.js';
import type { PublicApi } from './public-api.js';
import { type ConversationItem, itemFields, type Page, pageOf, recordOf } from './wire.js';
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

  it.each([1, 7, 29, 30])(
    'shows each conversation once over pages of %s, with a null token at the end',
    async (limit) => {
      const listed = await walk(limit);
      expect(listed.map((item) => item.subject)).toEqual(subjects.toReversed());
    },
  );
});
