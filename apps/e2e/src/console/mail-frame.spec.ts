// tags: console
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, whereThere } from '@postroom/testing';
import { hostileDisguises } from '@postroom/testing/hostile-html';
import { until } from '@postroom/testing/until';
import type { Browser, Page } from 'playwright-core';
import { deliver, deliverRaw } from '../mail.js';
import { type ConversationItem, pageOf } from '../wire.js';
import { type OwnKey, Workplace } from '../workplace.js';
import { closePages, openBrowser, seenAt, type Session, signedIn } from './browser.js';

/** Real mail kept beside the repository; not everyone has it. */
const corpus = fileURLToPath(new URL('../../../../../shared/corpus/mail/', import.meta.url));
const realMail = existsSync(corpus)
  ? readdirSync(corpus).filter((name) => name.endsWith('.eml'))
  : [];

let browser: Browser;
let place: Workplace;
let receiver: Receiver;

beforeAll(async () => {
  place = await Workplace.open('acme');
  receiver = await Receiver.start();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(async () => {
  await browser.close();
  await receiver.close();
});

interface Reading extends Session {
  readonly mailbox: string;
  readonly key: OwnKey;
  /** Requests that left for elsewhere, and dialogs that a script has opened. */
  readonly strays: string[];
}

/** A mailbox of its own, and the page of somebody who reads there. */
async function reading(): Promise<Reading> {
  const mailbox = await place.mailbox();
  const key = await place.keyFor(mailbox);
  const session = await signedIn(browser, place.product, place.tenant.admin);
  const { page, context } = session;
  const strays: string[] = [];
  const { origin } = new URL(page.url());
  context.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      strays.push(request.url());
  });
  page.on('dialog', (dialog) => {
    strays.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  // A reader who is so fast tells of it too often.
  await page.route('**/presence', (route) => route.fulfill({ json: { ok: true } }));
  return { ...session, mailbox, key, strays };
}

const addressOf = (mailbox: string, id: string): string =>
  `/inbox/all/${id}?in=${encodeURIComponent(mailbox)}`;

/** Opens a conversation as a click does, without loading the page anew. */
const follow = (page: Page, address: string): Promise<void> =>
  page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`);

async function conversationsIn({ key, mailbox }: Reading): Promise<ConversationItem[]> {
  const found: ConversationItem[] = [];
  for (let pageToken: string | null | undefined = ''; pageToken != null;) {
    const more = pageToken === '' ? {} : { pageToken };
    const { conversations, ...page } = pageOf(
      await key.get('/v1/conversations', { mailbox, limit: 100, placement: 'all', ...more }),
    );
    found.push(...conversations);
    pageToken = page.nextPageToken;
  }
  return found;
}

const frameOf = (page: Page) =>
  page.locator('iframe[title="Text of the message"]').last().contentFrame();

describe('the frame of a mail', () => {
  it('runs and loads nothing of what is to get around the sanitiser', async () => {
    const reader = await reading();
    const { page, mailbox, strays, faults } = reader;
    const envelope = { from: 'mallory@correspondent.example', to: mailbox };
    for (const [n, payload] of hostileDisguises.entries()) {
      const html = `<p>Mail number ${n}.</p>${payload}`;
      await deliver(place.product, { envelope, to: mailbox, subject: `Attack ${n}`, html });
    }
    const all = await conversationsIn(reader);
    expect(all).toHaveLength(hostileDisguises.length);
    await page.goto('/inbox/all');
    for (const { id, subject } of all) {
      await follow(page, addressOf(mailbox, id));
      await frameOf(page)
        .getByText(`${subject.replace('Attack', 'Mail number')}.`)
        .waitFor();
    }
    expect(page.frames().map((one) => new URL(one.url()).pathname)).toContain('/mail-frame.html');
    expect([...strays, ...faults.found]).toEqual([]);
  });

  const missing =
    realMail.length > 0 ? null : 'the corpus (../shared/corpus/mail beside the repository)';
  whereThere({ missing }, it)(
    'shows real mail, each by itself, without a violation of its policy',
    async () => {
      const reader = await reading();
      const { page, mailbox, strays, faults } = reader;
      for (const file of realMail)
        await deliverRaw(place.product, mailbox, await readFile(corpus + file));
      const all = await conversationsIn(reader);
      expect(all.length).toBeGreaterThan(realMail.length / 2);
      await page.goto('/inbox/all');
      for (const { id } of all) {
        const answered = page.waitForResponse(new RegExp(`/v1/conversations/${id}\\?`));
        await follow(page, addressOf(mailbox, id));
        await answered;
        await page
          .getByRole('article', { name: /^Message of/ })
          .last()
          .waitFor();
      }
      expect([...strays, ...faults.found]).toEqual([]);
    },
    300_000,
  );

  it('shows images from elsewhere when it is asked to, by way of the server', async () => {
    receiver.answer = (_received, response) => response.end(pixel);
    const { page, mailbox, key, strays, faults } = await reading();
    const html = `<p>Look.</p><img alt="far" src="${receiver.url('/far.png')}">`;
    const { id } = await place.receive(key, mailbox, { html });
    await page.goto(addressOf(mailbox, id));
    await page.getByText('1 image from elsewhere is not shown.').waitFor();
    await frameOf(page).getByText('Look.').waitFor();
    expect(receiver.at('/far.png')).toEqual([]);
    await page.getByRole('button', { name: 'Show once' }).click();
    const image = `document.querySelector('iframe[title="Text of the message"]').contentDocument.images[0]`;
    await until(async () => (await page.evaluate(`${image}.naturalWidth`)) === 1);
    const [asked] = receiver.at('/far.png');
    expect(Object.keys(asked?.headers ?? {})).not.toContain('cookie');
    expect([...strays, ...faults.found]).toEqual([]);
  });

  it('asks before a link is followed that says something else, by whichever button', async () => {
    const { page, context, mailbox, key, strays, faults } = await reading();
    const html = '<p><a href="https://phish.example/">https://bank.example/</a></p>';
    const { id } = await place.receive(key, mailbox, { html });
    await page.goto(addressOf(mailbox, id));
    const link = frameOf(page).getByRole('link', { name: 'https://bank.example/' });
    const dialog = page.getByRole('dialog', { name: 'Where this link leads' });
    for (const button of ['left', 'middle'] as const) {
      await link.click({ button });
      await dialog.getByText('https://phish.example/').waitFor();
      await dialog.getByRole('button', { name: 'Stay here' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    expect(context.pages()).toHaveLength(1);
    expect([...strays, ...faults.found]).toEqual([]);
  });

  it('is preceded by the text, within a tenth of a second of the answer', async () => {
    const { page, mailbox, key, faults } = await reading();
    await page.goto('/inbox/all');
    const waits: number[] = [];
    // The least of a few: the machine may be busy just then.
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const text = `Opened number ${n}.`;
      const { id } = await place.receive(key, mailbox, { text, html: `<p>${text}</p>` });
      const seen = seenAt(page, text);
      await follow(page, addressOf(mailbox, id));
      const shownMs = await seen;
      const entries = `performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/v1/conversations/${id}?'))
        .map(({ responseEnd }) => performance.timeOrigin + responseEnd)`;
      const [answeredMs = 0] = await page.evaluate<number[]>(entries);
      waits.push(shownMs - answeredMs);
    }
    expect(Math.min(...waits)).toBeLessThan(100);
    expect(faults.found).toEqual([]);
  });
});

/** An image of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
