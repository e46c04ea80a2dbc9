// tags: console
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, sharedProduct } from '../product.js';
import { accessibilityFaults, openBrowser, openPage } from './browser.js';

const paths = [
  ...['/docs', '/docs/guides/mcp', '/docs/reference/conversations', '/docs/errors', '/docs/search'],
  ...['/docs/reference/messages/raw', '/docs/reference/sends/create', '/docs/events/message.sent'],
];
const narrow = { width: 390, height: 844 };

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterAll(() => browser.close());

describe.each([
  { look: 'light', colorScheme: 'light' },
  { look: 'dark', colorScheme: 'dark' },
  { look: 'narrow', colorScheme: 'light', viewport: narrow },
] as const)('the portal, $look', ({ look: _look, ...options }) => {
  it.each(paths)('%s is accessible, as wide as its window, and under its policy', async (path) => {
    const { page, context, faults } = await openPage(browser, product, options);
    await page.goto(path);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(faults.found).toEqual([]);
    await context.close();
  });
});

describe('a page of the portal', () => {
  it('is read, and its languages chosen, without script', async () => {
    const baseURL = new URL(product.settingsUrl).origin;
    const context = await browser.newContext({ baseURL, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/docs/reference/sends/create');
    await page.getByText('Python', { exact: true }).click();
    expect(await page.getByText('requests.post').isVisible()).toBe(true);
    expect(await page.getByText('createClient').first().isVisible()).toBe(false);
    await context.close();
  });

  it('names the reader’s own address, and is found by search', async () => {
    const { page, context, faults } = await openPage(browser, product);
    await page.goto('/docs');
    const { origin } = new URL(product.settingsUrl);
    await page.getByText(`${origin}/public/v1/conversations`).first().waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('retry safely');
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /Retry safely/ })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Retry safely' }).waitFor();
    expect(faults.found).toEqual([]);
    await context.close();
  });

  it('gives the client and the command line, which npm installs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-given-'));
    const { origin } = new URL(product.settingsUrl);
    const given = ['sdk', 'cli'].map((name) => `${origin}/docs/postroom-${name}.tgz`);
    const npm = ['install', '--no-audit', '--no-fund', '--prefix', folder, ...given];
    execFileSync('npm', npm, { cwd: folder, stdio: 'pipe' });
    const program = join(folder, 'node_modules/.bin/postroom');
    expect(execFileSync(program, ['--help']).toString()).toContain('conversations');
    rmSync(folder, { recursive: true });
  });

  it('that there is not says so, leads on, and repeats nothing of the address', async () => {
    const { page, context, faults } = await openPage(browser, product);
    faults.expect(/^404 GET \/docs\//);
    const answer = await page.goto('/docs/pr_human_0123456789?key=pr_human_0123456789');
    expect(answer?.status()).toBe(404);
    expect(await page.content()).not.toContain('pr_human_0123456789');
    const text = await fetch(`${new URL(product.settingsUrl).origin}/docs/guides/gone.md`);
    expect([text.status, text.headers.get('content-type'), await text.text()]).toEqual([
      ...[404, 'text/markdown; charset=utf-8', expect.stringContaining('/docs/llms.txt')],
    ]);
    await page.getByRole('main').getByRole('link', { name: 'Search all pages' }).click();
    await page.getByRole('heading', { level: 1, name: 'All pages' }).waitFor();
    expect(faults.found).toEqual([]);
    await context.close();
  });
});
