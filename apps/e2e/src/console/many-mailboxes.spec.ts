// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page, Route } from 'playwright-core';
import { until } from '@postroom/testing/until';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, type Session, signedIn } from './browser.js';

let browser: Browser;
let place: Workplace;
const mailboxes: string[] = [];

beforeAll(async () => {
  place = await Workplace.open('globex');
  for (let n = 0; n < 30; n += 1) mailboxes.push(await place.mailbox());
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const asAdmin = (): Promise<Session> => signedIn(browser, place.product, place.tenant.admin);

const pages = /\/v1\/conversations\?/;
const mailboxOf = (route: Route): string =>
  new URL(route.request().url()).searchParams.get('mailbox') ?? '';

/** The subjects of a test, as the list has them. */
const subjectsIn = async (page: Page, word: string): Promise<string[]> => {
  const rows = await page.getByRole('option').filter({ hasText: word }).allInnerTexts();
  return rows.flatMap((text) => new RegExp(`${word} \\d+`).exec(text) ?? []);
};

describe('the inbox of thirty mailboxes', () => {
  it('asks a few of them at a time, and lists all in one order', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const subjects = Array.from({ length: 8 }, (_, n) => `${word} ${n}`);
    for (const [n, subject] of subjects.entries()) {
      // Every second one is of the same mailbox.
      const mailbox = mailboxes[n % 2 === 0 ? 0 : n] ?? '';
      await place.receive(await place.keyFor(mailbox), mailbox, { subject });
    }
    const { page, faults } = await asAdmin();
    let [now, most] = [0, 0];
    const asked: string[] = [];
    await page.route(pages, async (route) => {
      asked.push(mailboxOf(route));
      most = Math.max(most, (now += 1));
      const response = await route.fetch();
      now -= 1;
      await route.fulfill({ response });
    });
    await page.goto('/inbox/all');
    await page.getByRole('option', { name: subjects[7] ?? '' }).waitFor();
    expect(await subjectsIn(page, word)).toEqual(subjects.toReversed());
    expect(asked).toEqual(expect.arrayContaining(mailboxes));
    expect(most).toBeLessThanOrEqual(4);
    expect(faults.found).toEqual([]);
  });

  it('says that one of them did not answer, and asks that one alone again', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^500 GET .*\/v1\/conversations$/);
    const [silent = ''] = mailboxes;
    const asked: string[] = [];
    await page.route(pages, (route) => {
      asked.push(mailboxOf(route));
      const isFirst = asked.filter((one) => one === silent).length === 1;
      return mailboxOf(route) === silent && isFirst
        ? route.fulfill({ status: 500, json: { error: 'INTERNAL', message: 'It broke.' } })
        : route.continue();
    });
    await page.goto('/inbox/all');
    await page.getByText('It broke.').waitFor();
    const before = asked.length;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('option').first().waitFor();
    expect(asked.slice(before)[0]).toBe(silent);
    expect(asked.slice(before).filter((one) => one === mailboxes[1])).toEqual([]);
    expect(faults.found).toEqual([]);
  });

  it('reads the list that is shown again, and no other, when the stream has missed something', async () => {
    const { promise: isMissed, resolve: miss } = Promise.withResolvers<undefined>();
    const { page, faults } = await asAdmin();
    await page.route(
      '**/settings/api/stream',
      async (route) => {
        await isMissed;
        const body = 'event: reset\ndata: {}\n\n';
        await route.fulfill({ contentType: 'text/event-stream', body });
      },
      { times: 1 },
    );
    const asked: string[] = [];
    page.on('request', (request) => {
      if (pages.test(request.url())) asked.push(request.url());
    });
    await page.goto('/inbox/unassigned');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('link', { name: 'Mine' }).click();
    const isRead = page.getByRole('heading', { name: 'Nothing is assigned to you' });
    await isRead.or(page.getByRole('option')).first().waitFor();
    asked.length = 0;
    miss(undefined);
    await until(() => asked.length >= mailboxes.length);
    expect(asked.filter((url) => url.includes('assignee=none'))).toEqual([]);
    expect(faults.found).toEqual([]);
  });
});
