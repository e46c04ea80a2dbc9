// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventList } from '@postroom/contracts';
import type { Browser, Page } from 'playwright-core';
import { until } from '@postroom/testing/until';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { openBrowser, type Session, signedIn } from './browser.js';

let browser: Browser;
let product: Product;
let api: SettingsApi;
let session: Session;

interface Event {
  readonly id: string;
  readonly title: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly overrides: readonly { readonly startMs?: number }[];
}

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
  const { admin } = tenantOf(product, 'globex');
  api = await SettingsApi.signIn(product, admin);
  session = await signedIn(browser, product, admin);
});

afterAll(() => browser.close());

const at = (text: string): number => Date.parse(text);
const hourMs = 3_600_000;

/** A calendar of its own, so that nothing else stands in the way. */
async function planned(event: object): Promise<Event> {
  const made = await api.post('/v1/calendars', { name: `Own ${randomUUID().slice(0, 8)}` });
  const { calendar } = JSON.parse(made.text) as { calendar: { id: string } };
  const answer = await api.post('/v1/calendar-events', { calendarId: calendar.id, ...event });
  expect(answer.status).toBe(201);
  return (JSON.parse(answer.text) as { event: Event }).event;
}

async function eventsIn(from: string, to: string, title: string): Promise<readonly Event[]> {
  const answer = await api.get(`/v1/calendar-events?from=${at(from)}&to=${at(to)}`);
  return (JSON.parse(answer.text) as { events: Event[] }).events.filter(
    (event) => event.title === title,
  );
}

/** The days of June on which something takes place. */
async function daysOf(title: string): Promise<string[]> {
  const answer = await api.get(
    `/v1/calendar-events?from=${at('2027-06-01')}&to=${at('2027-07-01')}`,
  );
  const { events, occurrences } = JSON.parse(answer.text) as EventList;
  const ids = events.filter((event) => event.title === title).map(({ id }) => id);
  return occurrences
    .filter(({ eventId }) => ids.includes(eventId))
    .map(({ startMs }) => new Date(startMs).toISOString().slice(8, 10))
    .toSorted();
}

const saved = (page: Page) => page.getByText('Saved.').first().waitFor();

describe('the calendar', () => {
  it('changes one time of a series, or all from one on', async () => {
    const { page, faults } = session;
    const title = `Series ${randomUUID().slice(0, 8)}`;
    const startMs = at('2027-02-01T08:00:00Z');
    const timeZone = 'Europe/Paris';
    const recurrence = { freq: 'daily', count: 5, timeZone };
    const { id } = await planned({ title, startMs, endMs: startMs + hourMs, timeZone, recurrence });
    await page.goto('/calendar?view=week&on=2027-02-01');
    await page.getByText(title).nth(4).waitFor();

    await page.getByText(title).nth(1).click();
    await page.getByLabel('From').fill('11:00');
    await page.getByLabel('To', { exact: true }).fill('12:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'This one' }).click();
    await saved(page);
    const [once] = await eventsIn('2027-02-01', '2027-02-08', title);
    expect(once).toMatchObject({ id, startMs });
    expect(once?.overrides).toMatchObject([{ startMs: at('2027-02-02T10:00:00Z') }]);

    await page.getByText(title).nth(3).click();
    await page.getByLabel('From').fill('15:00');
    await page.getByLabel('To', { exact: true }).fill('16:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'This and following' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    const parts = await eventsIn('2027-02-01', '2027-02-08', title);
    expect(parts.map((event) => event.startMs).sort()).toEqual([
      startMs,
      at('2027-02-04T14:00:00Z'),
    ]);
    expect(faults.found).toEqual([]);
  });

  it.each([
    ['This one', ['07', '16', '21']],
    ['This and following', ['07', '16', '23']],
    ['All of the series', ['09', '16', '23']],
  ])('drags of a series: %s; and takes that back', async (scope, days) => {
    const { page, faults } = session;
    const title = `Drag ${randomUUID().slice(0, 8)}`;
    const startMs = at('2027-06-07T08:00:00Z');
    const timeZone = 'Europe/Paris';
    const recurrence = { freq: 'weekly', count: 3, timeZone };
    await planned({ title, startMs, endMs: startMs + hourMs, timeZone, recurrence });
    await page.goto('/calendar?view=month&on=2027-06-07');
    const second = page.getByText(title).nth(1);
    await second.hover();
    await page.mouse.down();
    const box = await second.boundingBox();
    const cell = await page.locator('[data-date="2027-06-16"]').first().boundingBox();
    if (!box || !cell) throw new Error('Neither may be out of sight.');
    await page.mouse.move(cell.x + 30, box.y + 4, { steps: 8 });
    await page.mouse.up();
    await page.getByRole('button', { name: scope }).click();
    await page.getByRole('button', { name: 'Undo (Z)' }).waitFor();
    expect(await daysOf(title)).toEqual(days);
    await page.keyboard.press('z');
    await until(async () => (await daysOf(title)).join() === '07,14,21');
    expect(await eventsIn('2027-06-01', '2027-07-01', title)).toHaveLength(1);
    expect(faults.found).toEqual([]);
  });

  it('plans by the clocks of a zone over their change, and says that they change', async () => {
    const { page, faults } = session;
    const title = `Clocks ${randomUUID().slice(0, 8)}`;
    await page.goto('/calendar?view=day&on=2027-03-28');
    await page.getByRole('button', { name: 'New event' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await page.getByLabel('From').fill('01:30');
    await page.getByLabel('To', { exact: true }).fill('03:30');
    await page.getByText('The clocks change on that day in Europe/Paris.').waitFor();
    await page.getByRole('button', { name: 'Add the event' }).click();
    await page.getByText(title).first().waitFor();
    expect(await eventsIn('2027-03-27', '2027-03-30', title)).toMatchObject([
      { startMs: at('2027-03-28T00:30:00Z'), endMs: at('2027-03-28T01:30:00Z') },
    ]);
    expect(faults.found).toEqual([]);
  });

  it('shows whole days of another zone on their own days', async () => {
    const { page, faults } = session;
    const title = `Whole ${randomUUID().slice(0, 8)}`;
    const startMs = at('2027-05-12T07:00:00Z');
    const timeZone = 'America/Los_Angeles';
    await planned({ title, startMs, endMs: startMs + 24 * hourMs, timeZone, allDay: true });
    await page.goto('/calendar?view=agenda&on=2027-05-12');
    await page.getByText(title).waitFor();
    expect(await page.getByText(title).count()).toBe(1);
    await page.getByText(title).click();
    expect(await page.getByLabel('First day').inputValue()).toBe('2027-05-12');
    expect(await page.getByLabel('Last day').inputValue()).toBe('2027-05-12');
    expect(faults.found).toEqual([]);
  });
});
