// tags: console
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { openBrowser, openPage, signedIn } from './browser.js';

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterAll(() => browser.close());

describe('the way into the console', () => {
  it('leads from the first page to the sign-in and back', async () => {
    const { page, faults } = await openPage(browser, product);
    await page.goto('/tasks');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    const { admin } = tenantOf(product, 'acme');
    await page.getByLabel('Email address').fill(admin.email);
    await page.getByLabel('Password').fill(admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('asks for the password over the page once the session has ended, and goes on', async () => {
    const { member } = tenantOf(product, 'acme');
    const { page, context, faults } = await signedIn(browser, product, member);
    faults.expect(/^401 /);
    await context.clearCookies();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForURL('**/sign-in?**');
    expect(faults.found).toEqual([]);
  });
});
