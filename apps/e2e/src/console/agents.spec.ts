// tags: console
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { McpClient } from '../mcp-client.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, signedIn } from './browser.js';
import { askingAssistant } from './requests.js';

let browser: Browser;
let place: Workplace;

beforeAll(async () => {
  place = await Workplace.open('acme');
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

describe('keys and agents', () => {
  it('goes the whole way of an agent: key, client, first request, decision, event and audit', async () => {
    const { page, faults } = await signedIn(browser, place.product, place.tenant.admin);
    await page.goto('/');
    await page.getByRole('link', { name: 'Connect an agent' }).click();
    await page.getByLabel('Name of the agent').fill('Way of an agent');
    await page.getByRole('button', { name: 'Make the agent’s key' }).click();
    const secret = await page
      .getByRole('group', { name: 'Key', exact: true })
      .locator('code, pre')
      .first()
      .textContent();
    await page.getByRole('tab', { name: 'Cursor' }).click();
    const config = page.getByRole('group', { name: '.cursor/mcp.json' });
    expect(await config.textContent()).toContain(`${place.product.baseUrl}/mcp`);
    const agent = new McpClient(place.product, secret ?? '');
    const [mailbox] = place.tenant.mailboxes;
    await agent.call('svc_search', { mailbox, query: 'order' });
    await page.getByText('Its first call has arrived: the key works.').waitFor();
    const filed = await agent.call('svc_draft_create', {
      ...{ mailbox, subject: 'Written by an agent', to: ['camille@correspondent.example'] },
      body: 'Hello Camille, your order has left.',
    });
    expect(filed.structuredContent['approvalRequired']).toBe(true);
    const request = page.getByRole('region', { name: 'Its first request' });
    await request.getByText('Hello Camille, your order has left.').waitFor();
    await request.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('region', { name: 'The change' }).waitFor();
    const trail = page.getByRole('region', { name: 'The event and the audit' });
    await trail.getByText('drafts.create').first().waitFor();
    expect(faults.found).toEqual([]);
  });

  it('makes a key whose first request works as it stands, and revokes it', async () => {
    const { page, faults } = await signedIn(browser, place.product, place.tenant.admin);
    await page.goto('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Made in the console');
    const [mailbox = ''] = place.tenant.mailboxes;
    await dialog
      .getByRole('radiogroup', { name: `Access to ${mailbox}` })
      .getByText('Read', { exact: true })
      .click();
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const curl = await dialog
      .getByRole('group', { name: 'Try it' })
      .locator('code, pre')
      .first()
      .textContent();
    const { stdout } = await promisify(execFile)('sh', ['-c', curl ?? '']);
    expect(JSON.parse(stdout)).toHaveProperty('conversations');
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Made in the console' }).first().click();
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It can do nothing any more.').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('connects an assistant in the mailboxes that are chosen, shows it, and disconnects it', async () => {
    const { page, faults } = await signedIn(browser, place.product, place.tenant.admin);
    const mailbox = await place.mailbox();
    const name = `Assistant ${randomUUID().slice(0, 8)}`;
    const assistant = await askingAssistant(place.product, name);
    await page.goto(assistant.path);
    await page.getByRole('checkbox', { name: 'Read and search' }).check();
    await page.getByRole('combobox', { name: mailbox }).selectOption('Read');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/[?&]code=/);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const call = await assistant.connect(code);
    expect(await call()).not.toBe(401);
    await page.goto('/keys');
    await page.getByRole('row', { name: `${name} (localhost) assistant` }).waitFor();
    await page.goto('/settings/assistants');
    const shown = page.getByRole('listitem').filter({ hasText: name });
    await shown.getByText('Reads conversations').waitFor();
    await shown.getByText(`In ${mailbox} (reading alone)`).waitFor();
    await shown.getByRole('button', { name: `Disconnect ${name}` }).click();
    await page.getByRole('button', { name: 'Disconnect it' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await call()).toBe(401);
    expect(faults.found).toEqual([]);
  });
});
