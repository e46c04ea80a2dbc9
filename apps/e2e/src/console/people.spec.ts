// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { closePages, openBrowser, openPage, signedIn } from './browser.js';
import { addMember, adminOf } from './people.js';

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const asAdmin = (): ReturnType<typeof signedIn> =>
  signedIn(browser, product, tenantOf(product, 'acme').admin);

const addMailbox = async (): Promise<{ readonly id: string; readonly address: string }> => {
  const address = `box-${randomUUID()}@acme.test`;
  const made = await (await adminOf(product)).post('/mailboxes', { address });
  return (JSON.parse(made.text) as { readonly mailbox: { id: string; address: string } }).mailbox;
};

describe('people', () => {
  it('are invited, changed, deactivated and let in again', async () => {
    const { page, faults } = await asAdmin();
    await page.goto('/settings/people');
    const [name, email] = [`Nora ${randomUUID().slice(0, 8)}`, `nora-${randomUUID()}@acme.test`];
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
    await dialog.getByText('No mail is sent.').waitFor();
    await dialog.getByLabel('Email address').fill('nora');
    await dialog.getByRole('button', { name: 'Make the invitation' }).click();
    await dialog.getByText('Write a whole address, as name@example.com.').waitFor();
    await dialog.getByLabel('Email address').fill(email);
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('May decide what agents ask for').check();
    await dialog.getByRole('button', { name: 'Make the invitation' }).click();
    const shown = page.getByRole('dialog', { name: 'The invitation' });
    expect(await shown.getByLabel('Link').inputValue()).toContain('/invitation?token=');
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('list', { name: 'Pending invitations' }).getByText(email).waitFor();

    const line = page
      .getByRole('list', { name: 'Members', exact: true })
      .locator('li', { hasText: email });
    await line.getByText('Approves').waitFor();
    await chooseAction(page, name, 'Change name or rights');
    const change = page.getByRole('dialog', { name: 'Change a member' });
    await change.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Administrator' }).click();
    await change.getByRole('button', { name: 'Save' }).click();
    await line.getByText('Administrator').waitFor();
    await chooseAction(page, name, 'Deactivate');
    await line.getByText('Deactivated').waitFor();
    await page.getByRole('button', { name: 'Undo (Z)' }).click();
    await line.getByText('Deactivated').waitFor({ state: 'detached' });
    expect(faults.found).toEqual([]);
  });

  it('are put into teams', async () => {
    const { page, faults } = await asAdmin();
    const name = `Team ${randomUUID().slice(0, 8)}`;
    await page.goto('/settings/people');
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog', { name: 'New team' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('combobox', { name: 'Members' }).fill('Ada');
    await page.getByRole('option', { name: 'Ada Administrator' }).click();
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const line = page.getByRole('list', { name: 'Teams' }).locator('li', { hasText: name });
    await line.getByText('Ada Administrator').waitFor();
    await line.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await line.waitFor({ state: 'detached' });
    expect(faults.found).toEqual([]);
  });

  it('who are no administrators see none of it, also once they were', async () => {
    const member = await addMember(product, { role: 'admin' });
    const { page, faults } = await signedIn(browser, product, member);
    await page.goto('/settings/people');
    await page.getByRole('list', { name: 'Members', exact: true }).waitFor();
    await (await adminOf(product)).patch(`/members/${member.id}`, { role: 'member' });
    faults.expect(/^403 GET /);
    await page.getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor();
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' });
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Signatures', level: 1 }).waitFor();
    expect(faults.found).toEqual([]);
  });
});

async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('mailboxes', () => {
  it('are added, and take in the mail of a file', async () => {
    const { page, faults } = await asAdmin();
    const address = `box-${randomUUID()}@acme.test`;
    await page.goto('/settings/mailboxes');
    await page.getByRole('button', { name: 'Add a mailbox' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a mailbox' });
    await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
    await dialog.getByRole('button', { name: 'Add the mailbox' }).click();
    await page.getByRole('heading', { name: address, level: 1 }).waitFor();
    const messages = [1, 2, 3].map((n) =>
      [
        `From someone@example.test Thu Nov 26 10:00:0${n} 2026`,
        ...['From: someone@example.test', `To: ${address}`, `Subject: Old ${n}`],
        ...[`Message-ID: <${n}.${address}>`, '', `Text ${n}`, '', ''],
      ].join('\n'),
    );
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file' }).click(),
    ]);
    const buffer = Buffer.from(messages.join(''));
    await chooser.setFiles({ name: 'old.mbox', mimeType: 'application/mbox', buffer });
    await page.getByRole('status').getByText('3 messages imported').waitFor();
    await page.getByRole('list', { name: 'Imports' }).getByText('Done').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('show the import of somebody else while it runs, and stop it', async () => {
    const { page, faults } = await asAdmin();
    const { id, address } = await addMailbox();
    await page.goto(`/settings/mailboxes/${id}`);
    await page.getByRole('heading', { name: address, level: 1 }).waitFor();
    const { cookie } = await adminOf(product);
    const slow = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(
          Buffer.from('From a@example.test Thu Nov 26 10:00:00 2026\nSubject: First\n\nText\n'),
        ),
    });
    const upload = fetch(`${product.settingsUrl}/mailboxes/${id}/import`, {
      ...{ method: 'POST', body, duplex: 'half', signal: slow.signal },
      headers: { cookie, 'content-type': 'application/mbox' },
    }).catch(() => null);
    const line = page.getByRole('list', { name: 'Imports' });
    await line.getByText('Running').waitFor();
    await line.getByRole('button', { name: 'Stop' }).click();
    await line.getByText('Stopped').waitFor();
    slow.abort();
    await upload;
    expect(faults.found).toEqual([]);
  });

  it('have signatures, and domains with the record to set', async () => {
    const { page, faults } = await asAdmin();
    const [name, domain] = [`Sig ${randomUUID().slice(0, 8)}`, `d-${randomUUID()}.example`];
    await page.goto('/settings/signatures');
    await page.getByRole('button', { name: 'New signature' }).click();
    const dialog = page.getByRole('dialog', { name: 'New signature' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('textbox', { name: 'Signature' }).fill('Kind regards, Ada');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Signatures' }).getByText(name).waitFor();
    await page.getByRole('link', { name: 'Domains' }).click();
    await page.getByLabel('Domain').fill(domain);
    await page.getByRole('button', { name: 'Add the domain' }).click();
    const card = page.getByRole('region', { name: domain });
    await card.getByText('TXT').waitFor();
    await card.getByRole('button', { name: `Remove ${domain}` }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await card.waitFor({ state: 'detached' });
    expect(faults.found).toEqual([]);
  });
});

describe('safety', () => {
  it('closes and opens sending, tries rules, and counts the data of a person', async () => {
    // Another workspace: the switch is for all of it.
    const { admin } = tenantOf(product, 'globex');
    const { page, faults } = await signedIn(browser, product, admin);
    await page.goto('/settings/safety');
    await page.getByRole('button', { name: 'Close sending for everyone' }).click();
    await page.getByRole('button', { name: 'Close sending', exact: true }).click();
    await page.getByRole('button', { name: 'Open sending' }).waitFor();
    const api = await SettingsApi.signIn(product, admin);
    expect(JSON.parse((await api.get('/send-switch')).text)).toEqual({ open: false });
    await page.getByRole('button', { name: 'Open sending' }).click();
    await page.getByRole('button', { name: 'Close sending for everyone' }).waitFor();

    const name = `Cards ${randomUUID().slice(0, 8)}`;
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Rules', exact: true }).getByText(name).waitFor();
    await page.getByLabel('Text').fill('My card is 4111 1111 1111 1111.');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page
      .getByRole('list', { name: 'Rules that hit' })
      .getByText(`${name} would warn`)
      .waitFor();
    await page.getByLabel('Text').fill('My card is another.');
    await page.getByRole('list', { name: 'Rules that hit' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();

    await page
      .getByRole('textbox', { name: 'Address', exact: true })
      .fill(`nobody-${randomUUID()}@example.test`);
    await page.getByRole('button', { name: 'See what is kept' }).click();
    await page.getByText(/^Nothing is kept of nobody-/).waitFor();
    expect(faults.found).toEqual([]);
  });
});

describe('the sign-in of the workspace', () => {
  it('is shown with the redirect URI of a provider, and refuses a change that locks out', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^400 PUT .*\/sign-in$/);
    await page.goto('/settings/sign-in');
    await page.getByText('/settings/api/oidc/callback').waitFor();
    await page.getByLabel('Members may sign in with a password').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText('Expected without passwords', { exact: false })
      .or(page.getByText('without passwords').last())
      .first()
      .waitFor();
    expect(faults.found).toEqual([]);
  });

  it('leads a stranger with a link of no use to a sentence, and not to a page that breaks', async () => {
    const { page, faults } = await openPage(browser, product);
    faults.expect(/^404 POST \/invitation$/);
    await page.goto('/invitation?token=none');
    await page.getByLabel('New password').fill('a password of some length');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(faults.found).toEqual([]);
  });
});

describe('a sandbox', () => {
  it('is made from the settings, is marked, receives what is described and has its clock moved', async () => {
    const { page, faults } = await asAdmin();
    await page.goto('/settings/sandbox');
    const name = `Tests ${randomUUID().slice(0, 8)}`;
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Its administrator').fill(`${randomUUID()}@sandbox.test`);
    await page.getByRole('button', { name: 'Make a sandbox' }).click();
    const link = page.getByRole('group', { name: 'Link' }).locator('code, pre').first();
    const row = page.getByRole('list', { name: 'Sandboxes' }).locator('li', { hasText: name });
    const [domain = ''] = /\S+\.sandbox\.invalid/.exec(await row.innerText()) ?? [];

    const { page: inside, faults: others } = await openPage(browser, product);
    await inside.goto((await link.textContent()) ?? '');
    await inside.getByLabel('New password').fill('a password of some length');
    await inside.getByRole('button', { name: 'Save and sign in' }).click();
    await inside.getByText('Sandbox', { exact: true }).locator('visible=true').waitFor();
    await inside.goto('/settings/mailboxes');
    await inside.getByRole('button', { name: 'Add a mailbox' }).click();
    await inside.getByRole('textbox', { name: 'Address' }).fill(`support@${domain}`);
    await inside.getByRole('button', { name: 'Add the mailbox' }).click();
    await inside.getByRole('heading', { name: `support@${domain}` }).waitFor();
    await inside.goto('/settings/sandbox');
    await inside.getByLabel('Subject').fill('Where is my order?');
    await inside.getByRole('button', { name: 'Receive it' }).click();
    await inside.getByText('Where is my order? has arrived.').waitFor();
    await inside.getByLabel('Move forward by').fill('2');
    await inside.getByRole('button', { name: 'Move the clock' }).click();
    await inside.getByText('Moved by 2 days').waitFor();
    expect([...faults.found, ...others.found]).toEqual([]);
  });
});
