// tags: own, kafka
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFullRun, repetitions } from '@postroom/testing/repetitions';
import { eventually } from '@postroom/testing/until';
import { untilServed } from './http.js';
import { deliver } from './mail.js';
import type { Part, RunningProduct } from './product.js';
import { ownBroker, startProduct } from './product-process.js';
import {
  type Comment,
  commentOf,
  conversationOf,
  type Page,
  pageOf,
  recordOf,
  volumesOf,
} from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const total = repetitions(1_000, 150);
/** A quick check kills the database and the broker as well, at once; other files kill the services alone. */
const parts: readonly Part[] = isFullRun() ? ['services', 'everything'] : ['everything'];
const clients = 16;
/** The number of requests of each kind that are answered before the process is killed. */
const killAfter = 0.4 * total;

/** A message that is sent again is identical, including its date. */
const date = new Date('2026-01-01T12:00:00Z');

/** The requests of a client, and their answers so far. */
interface Work {
  readonly mailbox: string;
  readonly api: OwnKey;
  readonly conversations: readonly string[];
  readonly messages: readonly string[];
  readonly comments: readonly string[];
  readonly delivered: Set<string>;
  readonly written: Map<string, Comment>;
}

/** A line of the export; the last one is the chain's head. */
interface AuditLine {
  readonly actor?: { readonly id: string | null };
  readonly action?: string;
  readonly subjectId?: string | null;
}

describe('SIGKILL during deliveries and as many comments', () => {
  let running: RunningProduct;
  let place: Workplace;
  const done: Work[] = [];

  beforeAll(async () => {
    running = await startProduct(ownBroker);
    place = await Workplace.open('acme', running.product);
  });

  afterAll(() => running.remove());

  /** A mailbox with a conversation for each client to comment on. */
  const plan = async (): Promise<Work> => {
    const mailbox = await place.mailbox();
    const scopes = ['read:conversations', 'write:conversations', 'read:analytics'];
    const api = await place.keyFor(mailbox, { scopes });
    const conversations: string[] = [];
    for (let i = 0; i < clients; i++) conversations.push((await place.receive(api, mailbox)).id);
    const names = (): string[] => Array.from({ length: total }, () => randomUUID());
    return {
      mailbox,
      api,
      conversations,
      messages: names(),
      comments: names(),
      delivered: new Set(),
      written: new Map(),
    };
  };

  const commentPath = ({ conversations }: Work, i: number): string =>
    `/v1/conversations/${conversations[i % clients]}`;

  /** Repeats a message that is put off (4yz), as its sender does. */
  const handedOver = async (mail: Parameters<typeof deliver>[1]): Promise<void> => {
    try {
      await deliver(place.product, mail);
    } catch (error) {
      if (!String(error).includes('Refused: 4')) throw error;
      await sleep(500);
      await handedOver(mail);
    }
  };

  /** Repeats the unanswered requests, as a client that was cut off would. */
  const attempt = async (work: Work, i: number): Promise<void> => {
    const [message = '', text = ''] = [work.messages[i], work.comments[i]];
    const { api, mailbox, delivered, written } = work;
    if (!delivered.has(message)) {
      const messageId = `<${message}@correspondent.example>`;
      await handedOver({ to: mailbox, subject: message, messageId, date });
      delivered.add(message);
    }
    if (!written.has(text)) {
      const path = `${commentPath(work, i)}/comment`;
      const comment = () => api.post(path, { mailbox, text }, `crash-${text}`);
      written.set(text, commentOf(await untilServed(comment)));
    }
  };

  /** Runs the work with concurrent clients; a client that is cut off stops. */
  const run = async (work: Work, progress: () => void = () => undefined): Promise<void> => {
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < total) {
        await attempt(work, next++);
        progress();
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: clients }, client));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  };

  /** Subjects and comments, with their number of occurrences. */
  const kept = async (work: Work): Promise<{ subjects: string[]; comments: Comment[] }> => {
    const { api, mailbox } = work;
    const subjects: string[] = [];
    for (let token: string | null = ''; token !== null;) {
      const more = token === '' ? {} : { pageToken: token };
      const page: Page = pageOf(
        await api.get('/v1/conversations', { mailbox, limit: 100, ...more }),
      );
      for (const item of page.conversations) {
        for (let i = 0; i < item.messageCount; i++) subjects.push(item.subject);
      }
      token = page.nextPageToken;
    }
    const comments: Comment[] = [];
    for (let i = 0; i < clients; i++) {
      comments.push(...conversationOf(await api.get(commentPath(work, i), { mailbox })).comments);
    }
    return { subjects: subjects.filter((one) => work.messages.includes(one)), comments };
  };

  /** The volumes of the workspace, over days that do not end during the test. */
  const counted = async ({ api }: Work): Promise<{ received: number; comments: number }> => {
    const day = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 10);
    const period = { from: day(-86_400_000), to: day(86_400_000) };
    const { messages, comments } = volumesOf(await api.get('/v1/analytics/summary', period));
    return { received: messages.received, comments };
  };

  /** The conversations on which a key commented according to the audit, once for each comment. */
  const auditedBy = async ({ id }: OwnKey): Promise<unknown[]> => {
    const { text } = await place.settings.get('/audit/export');
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    return entries
      .filter(({ actor, action }) => actor?.id === id && action === 'conversations.comment')
      .map(({ subjectId }) => subjectId)
      .toSorted();
  };

  /** Waits for sealed entries: shards of the killed process stay leased for 30 s. */
  const audited = (api: OwnKey, count: number): Promise<unknown[]> =>
    eventually(
      () => auditedBy(api),
      (found) => found.length >= count,
    );

  const duplicates = (all: readonly string[]): string[] =>
    all.filter((one, i) => all.indexOf(one) !== i);

  it.each(parts)(
    'of %s loses nothing that was answered and keeps each exactly once',
    async (what) => {
      const work = await plan();
      const before = await counted(work);
      let killed: Promise<void> | undefined;
      const cutOff = run(work, () => {
        if (work.delivered.size >= killAfter) killed ??= running.kill(what);
      });
      await expect(cutOff).rejects.toThrow();
      await killed;
      const answered = { delivered: [...work.delivered], written: [...work.written.values()] };
      expect(answered.delivered.length).toBeLessThan(total);
      await running.restart();

      const after = await kept(work);
      expect(after.subjects).toEqual(expect.arrayContaining(answered.delivered));
      expect(after.comments).toEqual(expect.arrayContaining(answered.written));
      expect(duplicates(after.subjects)).toEqual([]);
      expect(duplicates(after.comments.map(({ text }) => text))).toEqual([]);

      await run(work);
      const end = await kept(work);
      expect(end.subjects.toSorted()).toEqual(work.messages.toSorted());
      expect(end.comments.map(({ text }) => text).toSorted()).toEqual(work.comments.toSorted());
      const ids = new Set(end.comments.map(({ id }) => id));
      for (const { id } of work.written.values()) expect(ids.has(id)).toBe(true);
      expect(await counted(work)).toEqual({
        received: before.received + total,
        comments: before.comments + total,
      });

      done.push(work);
    },
  );

  // After both kills, so that their leases expire at the same time.
  it('of either leaves one audit record of each comment, and an unbroken chain', async () => {
    expect(done).toHaveLength(parts.length);
    for (const { api, comments, conversations } of done) {
      const each = comments.map((_, i) => conversations[i % clients]).toSorted();
      expect(await audited(api, total)).toEqual(each);
    }
    const verdict = recordOf(await place.settings.get('/audit/verify'));
    expect(verdict).toMatchObject({ ok: true, firstBrokenId: null });
  });
});
