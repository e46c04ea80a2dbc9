// tags: console
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, type Session, signedIn } from './browser.js';
import { askingAgent } from './requests.js';

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const asAdmin = (viewport = { width: 1440, height: 900 }): Promise<Session> =>
  signedIn(browser, product, tenantOf(product, 'acme').admin, { viewport });

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

/** Chromium without a window shows no notification, whatever it is granted: this one notes them. */
const headlessNotices = `
  globalThis.told = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'default';
    static async requestPermission() {
      const { state } = await navigator.permissions.query({ name: 'notifications' });
      return (Notification.permission = state);
    }
    constructor(title) {
      super();
      told.push(title);
    }
  };`;

describe('the frame around every page', () => {
  it('goes anywhere and does anything by keys', async () => {
    const { page, faults } = await asAdmin();
    await page.goto('/me');
    await heading(page, 'Your account');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await heading(page, 'People');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Invite somebody').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('textbox', { name: 'Search places and commands' });
    await palette.fill('dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await palette.fill('domains');
    await page.keyboard.press('Enter');
    await heading(page, 'Domains');
    expect(faults.found).toEqual([]);
  });

  it('says that the connection is lost, and what is missed is there once it is back', async () => {
    const { page, context, faults } = await asAdmin();
    faults.expect(/^net::/);
    await page.goto('/settings/people');
    await page.getByRole('list', { name: 'Members', exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByRole('status').getByText('You are offline.').waitFor();
    await context.setOffline(false);
    await page.getByRole('status').getByText('You are offline.').waitFor({ state: 'detached' });
    expect(faults.found).toEqual([]);
  });

  it('is loaded anew, once, when an upgrade took the code of a page away', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^404 GET \/assets\/domains-page/);
    // The router logs that the code is not there, while the page is loaded anew.
    faults.expect(/reading 'DomainsPage'/);
    await page.goto('/settings/people');
    await heading(page, 'People');
    await page.evaluate('window.isFirstLoad = true');
    let isGone = true;
    await page.route('**/assets/domains-page*.js', (route) =>
      isGone ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    );
    // Loaded anew, the page of the test is one of the new build.
    page.once('domcontentloaded', () => {
      isGone = false;
    });
    await page.getByRole('link', { name: 'Domains' }).click();
    await heading(page, 'Domains');
    expect(await page.evaluate('window.isFirstLoad')).toBeUndefined();
    expect(faults.found).toEqual([]);
  });

  it('is not loaded anew over what somebody writes: a bar says so', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^404 GET \/assets\/domains-page/);
    await page.route('**/assets/domains-page*.js', (route) =>
      route.fulfill({ status: 404, body: '' }),
    );
    await page.goto('/settings/workspace');
    await page.getByRole('textbox', { name: 'Name' }).fill('A name that is not saved');
    await page.getByRole('link', { name: 'Domains' }).hover();
    await page.getByRole('status').getByText('Postroom was upgraded.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(
      'A name that is not saved',
    );
    expect(faults.found).toEqual([]);
  });

  it('tells of a new approval while it is not looked at, once that is asked for', async () => {
    const { page, context, faults } = await asAdmin();
    await context.grantPermissions(['notifications']);
    await page.addInitScript(headlessNotices);
    await page.goto('/me');
    await heading(page, 'Your account');
    await page.evaluate(
      "Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })",
    );
    const workplace = await Workplace.open('acme');
    const agent = await askingAgent(workplace);
    const fileOne = async (): Promise<unknown> => {
      await agent.comment('Look at this.');
      const { text } = await workplace.settings.get('/me');
      const { counts } = JSON.parse(text) as { counts: { approvals: number } };
      await page.getByLabel(`${counts.approvals} waiting`, { exact: true }).waitFor();
      return page.evaluate('told');
    };
    expect(await fileOne()).toEqual([]);
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByRole('button', { name: 'Turn off notifications' }).waitFor();
    expect(await fileOne()).toEqual(['An approval waits']);
    expect(faults.found).toEqual([]);
  });

  it('has its navigation behind a button on a narrow window', async () => {
    const { page, faults } = await asAdmin({ width: 390, height: 844 });
    await page.goto('/me');
    await heading(page, 'Your account');
    await page.getByRole('button', { name: 'Navigation' }).click();
    const settings = page.getByRole('link', { name: 'Settings' });
    await settings.click();
    await heading(page, 'People');
    await page.getByRole('button', { name: 'Navigation', expanded: false }).waitFor();
    expect(faults.found).toEqual([]);
  });
});
