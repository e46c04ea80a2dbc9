// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { closePages, openBrowser, signedIn } from './browser.js';

let browser: Browser;
let product: Product;
let api: SettingsApi;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
  api = await SettingsApi.signIn(product, tenantOf(product, 'acme').admin);
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const opened = () => signedIn(browser, product, tenantOf(product, 'acme').admin);

async function book(): Promise<{ id: string; name: string }> {
  const name = `Book ${randomUUID().slice(0, 8)}`;
  const answer = await api.post('/address-books', { name });
  return (JSON.parse(answer.text) as { book: { id: string; name: string } }).book;
}

async function contact(bookId: string, fields: object): Promise<string> {
  const answer = await api.post('/v1/contacts', { bookId, ...fields });
  expect(answer.status).toBe(201);
  return (JSON.parse(answer.text) as { contact: { id: string } }).contact.id;
}

const read = async (id: string): Promise<unknown> =>
  (JSON.parse((await api.get(`/v1/contacts/${id}`)).text) as { contact: unknown }).contact;

describe('contacts', () => {
  it('that two people change at once show both values, and nothing typed is lost', async () => {
    const { id: bookId } = await book();
    const id = await contact(bookId, { displayName: 'Claire Durand', jobTitle: 'Buyer' });
    const [mine, theirs] = [await opened(), await opened()];
    mine.faults.expect(/^409 PATCH/);
    for (const { page } of [mine, theirs]) {
      await page.goto(`/contacts/${id}?book=${bookId}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    }
    await theirs.page.getByLabel('Job title').fill('Head of buying');
    await theirs.page.getByLabel('Organization').fill('Lumen');
    await theirs.page.getByRole('button', { name: 'Save' }).click();
    await theirs.page.getByText('Head of buying').first().waitFor();

    await mine.page.getByLabel('Job title').fill('Director');
    await mine.page.getByRole('button', { name: 'Save' }).click();
    const values = mine.page.getByRole('table', { name: 'Values that differ' });
    await values.getByRole('row', { name: /Job title Director Head of buying/ }).waitFor();
    expect(await mine.page.getByLabel('Job title').inputValue()).toBe('Director');
    await mine.page.getByRole('button', { name: 'Save' }).click();
    await mine.page.getByText('Director, Lumen').waitFor();
    expect(await read(id)).toMatchObject({ jobTitle: 'Director', organization: 'Lumen' });
    expect([mine.faults.found, theirs.faults.found]).toEqual([[], []]);
  });

  it('are imported after a look at what would happen', async () => {
    const { page, faults } = await opened();
    const { id, name } = await book();
    await page.goto(`/contacts?book=${id}`);
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Import' }).click();
    const lines = [
      'Name,E-mail 1 - Value',
      'Ann Lee,ann@lee.example',
      'Bo Lind,bo@lind.example',
      ',',
    ];
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    await chooser.setFiles({
      ...{ name: 'people.csv', mimeType: 'text/csv' },
      buffer: Buffer.from(lines.join('\r\n')),
    });
    await page.getByText(/2 contacts would be created, 0 updated/).waitFor();
    const count = async (): Promise<unknown> =>
      (JSON.parse((await api.get(`/v1/contacts?bookId=${id}`)).text) as { total: number }).total;
    expect(await count()).toBe(0);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(/2 contacts created/).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('option', { name: /Ann Lee/ }).waitFor();
    expect(await count()).toBe(2);
    expect(faults.found).toEqual([]);
  });

  it('are merged side by side, told what is left out, and taken apart again', async () => {
    const { page, faults } = await opened();
    const { id: bookId } = await book();
    const phones = [{ value: '+33 1 23 45 67 89' }];
    const first = await contact(bookId, { displayName: 'Max Roy', jobTitle: 'Chef', phones });
    const second = await contact(bookId, { displayName: 'M. Roy', jobTitle: 'Cook', phones });
    await page.goto(`/contacts?book=${bookId}&show=duplicates`);
    await page.getByText('Job title: Cook').waitFor();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('heading', { name: 'No duplicates' }).waitFor();
    expect((await api.get(`/v1/contacts/${second}`)).status).toBe(404);
    await page.goto(`/contacts/${first}?book=${bookId}`);
    await page.getByRole('button', { name: 'Undo the merge' }).click();
    await page.getByRole('option', { name: /M\. Roy/ }).waitFor();
    expect(await read(second)).toMatchObject({ jobTitle: 'Cook' });
    expect(faults.found).toEqual([]);
  });
});
