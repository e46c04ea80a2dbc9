// tags: console
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, tenantOf } from '../product.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, signedIn } from './browser.js';

let browser: Browser;
let product: Product;
let workplace: Workplace;

beforeAll(async () => {
  workplace = await Workplace.open('acme');
  product = workplace.product;
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

describe('the audit and analytics', () => {
  it('shows entries by name, filtered in the address, and verifies the chain', async () => {
    const { id } = await workplace.key();
    const { page, faults } = await signedIn(browser, product, tenantOf(product, 'acme').admin);
    await page.goto('/audit');
    await page.getByRole('textbox', { name: 'Subject' }).fill(id);
    await page.getByRole('textbox', { name: 'Subject' }).press('Enter');
    await page.waitForURL(`**/audit?subject=${id}`);
    await page.getByRole('row', { name: /Ada Administrator added the key “/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: /^Details of keys\.create/ }).click();
    await page.getByRole('rowheader', { name: 'Place in the chain' }).waitFor();
    expect(await page.getByRole('link', { name: 'Export these' }).getAttribute('href')).toBe(
      `/settings/api/audit/export?subject=${id}`,
    );
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText('The chain is whole').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('counts messages by day in a chart, and in a table that says the same', async () => {
    const mailbox = await workplace.mailbox();
    await workplace.receive(await workplace.keyFor(mailbox), mailbox);
    const { page, faults } = await signedIn(browser, product, tenantOf(product, 'acme').admin);
    await page.goto('/analytics?days=7');
    await page.getByRole('img', { name: /^Messages by day, 7 days/ }).waitFor();
    await page.getByText('Table', { exact: true }).click();
    await page.waitForURL('**/analytics?*as=table*');
    const table = page.getByRole('region', { name: 'Messages by day' });
    expect(await table.getByRole('row').count()).toBe(8);
    await page.getByRole('tab', { name: 'Agents' }).click();
    await page.getByRole('rowheader', { name: 'Demo agent' }).first().waitFor();
    expect(faults.found).toEqual([]);
  });
});
