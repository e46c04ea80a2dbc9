// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Receiver } from '@postroom/testing';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, signedIn } from './browser.js';

let browser: Browser;
let place: Workplace;
let receiver: Receiver;

beforeAll(async () => {
  place = await Workplace.open('acme');
  receiver = await Receiver.start();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(async () => {
  await browser.close();
  await receiver.close();
});

describe('the webhooks page', () => {
  it('adds one, follows its test to the attempt, and removes it', async () => {
    const { page, faults } = await signedIn(browser, place.product, place.tenant.admin);
    const path = `/console-${randomUUID()}`;
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(receiver.url(path));
    await dialog.getByLabel('Description').fill(path);
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: receiver.url(path) }).click();
    // The first attempt fails, and the page follows the test to the second.
    receiver.answer = (_received, response) =>
      void response.writeHead(receiver.at(path).length === 1 ? 500 : 204).end();
    await page.getByRole('button', { name: 'Send a test' }).click();
    const test = page.getByRole('region', { name: 'The test' });
    await test.getByRole('article', { name: 'integration.test, succeeded' }).waitFor();
    await test.getByText(/Attempt 1.*: 500 in/).waitFor();
    await test.getByText(/Attempt 2.*: 2\d\d in/).waitFor();
    expect(receiver.at(path)).toHaveLength(2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    // The page may be told of the delivery while it is left.
    faults.expect(/^404 GET .*[/]deliveries$/);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(faults.found).toEqual([]);
  });
});
