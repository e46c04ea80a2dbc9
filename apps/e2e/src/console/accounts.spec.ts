// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dovecot, dovecot, whereThere } from '@postroom/testing';
import type { Browser, Locator } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { openBrowser, signedIn } from './browser.js';
import { adminOf } from './people.js';

whereThere(dovecot, describe)('an existing mailbox', () => {
  let browser: Browser;
  let product: Product;
  let server: Dovecot;
  beforeAll(async () => {
    server = await Dovecot.start();
    product = await sharedProduct();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const fill = async (dialog: Locator, name: string, text: string): Promise<void> =>
    dialog.getByRole('textbox', { name, exact: true }).fill(text);

  it('is connected once its account is tested, and its mail is in the inbox', async () => {
    const { page, faults } = await signedIn(browser, product, tenantOf(product, 'acme').admin);
    const address = `box-${randomUUID()}@acme.test`;
    const user = randomUUID();
    const subject = `Was here before ${user}`;
    await server.deliver(
      user,
      `From: ada@correspondent.example\r\nSubject: ${subject}\r\nMessage-ID: <${user}@x.test>\r\n\r\nHello\r\n`,
    );
    const made = await (await adminOf(product)).post('/mailboxes', { address });
    const { mailbox } = JSON.parse(made.text) as { readonly mailbox: { readonly id: string } };
    await page.goto(`/settings/mailboxes/${mailbox.id}`);
    await page.getByRole('button', { name: 'Connect an account' }).click();
    const dialog = page.getByRole('dialog', { name: `Connect ${address}` });
    await dialog.getByText('No settings were found').waitFor();
    await fill(dialog, 'Host', '127.0.0.1');
    await fill(dialog, 'Port', String(server.port));
    await dialog.getByRole('combobox', { name: 'Encryption' }).click();
    await page.getByRole('option', { name: 'STARTTLS where it is offered' }).click();
    await fill(dialog, 'User', user);
    await dialog.getByLabel('Password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Test and connect' }).click();
    const lines = dialog.getByRole('log', { name: 'Test of the account' });
    await lines.getByText('Check user and password.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('secret');
    await dialog.getByRole('button', { name: 'Test again' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const account = page.getByRole('region', { name: 'Account elsewhere' });
    await account.getByText('Up to date').waitFor();
    await account.getByRole('button', { name: 'Test it' }).click();
    await account.getByText('1 message; other folders of use').waitFor();
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(address)}`);
    await page.getByText(subject).first().waitFor();
    expect(faults.found).toEqual([]);
  });

  it('tells of the consent that a provider has led back with', async () => {
    const { page, faults } = await signedIn(browser, product, tenantOf(product, 'acme').admin);
    await page.goto('/settings/mailboxes?consent=down');
    await page.getByRole('status').getByText('The provider could not be reached').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(faults.found).toEqual([]);
  });
});
