// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { closePages, openBrowser, signedIn } from './browser.js';

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

describe('tasks', () => {
  it('are written, completed and opened again by the keyboard alone', async () => {
    const { admin } = tenantOf(product, 'acme');
    const { page, faults } = await signedIn(browser, product, admin);
    const word = `kb${randomUUID().slice(0, 8)}`;
    await page.goto(`/tasks?q=${word}`);
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Nothing to do here' }).waitFor();
    await page.keyboard.press('n');
    await page.locator('#quick-add:focus').waitFor();
    await page.keyboard.type(`Count ${word} tomorrow 14:00 !high every week`);
    await page.getByText(/due tomorrow 14:00, every week, high priority/).waitFor();
    await page.keyboard.press('Enter');
    const later = page.getByRole('region', { name: 'Later' });
    const box = later.getByRole('checkbox', { name: `Done: Count ${word}` });
    await box.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const done = page.getByRole('region', { name: 'Done' });
    await done.getByRole('checkbox', { name: `Done: Count ${word}`, checked: true }).waitFor();
    await page.getByText(/The next one is due .*14:00/).waitFor();
    await page.keyboard.press('z');
    await done.waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Task' }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('that another one makes appear by themselves', async () => {
    const { admin, member } = tenantOf(product, 'acme');
    const { page, faults } = await signedIn(browser, product, admin);
    const title = `Told ${randomUUID()}`;
    await page.goto('/tasks');
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    const colleague = await SettingsApi.signIn(product, member);
    expect((await colleague.post('/v1/tasks', { title })).status).toBe(201);
    await page.getByRole('checkbox', { name: `Done: ${title}` }).waitFor();
    expect(faults.found).toEqual([]);
  });
});
