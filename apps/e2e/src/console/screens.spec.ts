// tags: console
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { accessibilityFaults, openBrowser, type Session, signedIn } from './browser.js';
import { screens } from './screens.js';

const folder = fileURLToPath(new URL('../../dist/screenshots/', import.meta.url));
const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { look: 'narrow', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

let browser: Browser;
let product: Product;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  product = await sharedProduct();
  browser = await openBrowser();
});

afterAll(() => browser.close());

describe.each(looks)('every screen, $look', ({ look, ...options }) => {
  let session: Session;

  beforeAll(async () => {
    session = await signedIn(browser, product, tenantOf(product, 'acme').admin, options);
  });

  afterAll(() => session.context.close());

  it.each(screens)('$name is photographed, and accessible', async ({ name, path, ready }) => {
    const { page, faults } = session;
    await page.goto(path);
    await ready(page);
    await page.screenshot({ path: `${folder}${name}.${look}.png` });
    expect(await accessibilityFaults(page)).toEqual([]);
    // Nothing is wider than the window.
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(faults.found).toEqual([]);
  });
});
