// tags: console
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Assistants, WorkspaceAnswer } from '@postroom/contracts';
import type { Browser, Page } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { closePages, openBrowser, signedIn } from './browser.js';
import { addMember, adminOf } from './people.js';
import { askingAssistant } from './requests.js';

let browser: Browser;
let product: Product;
/** The rules are of a whole workspace: not of the one in which other files connect assistants. */
let api: SettingsApi;
let before: Assistants;

beforeAll(async () => {
  product = await sharedProduct();
  api = await adminOf(product, 'globex');
  before = await stored();
  browser = await openBrowser();
});

afterEach(async () => {
  await closePages(browser);
  await api.patch('/workspace', { assistants: before });
});
afterAll(() => browser.close());

async function stored(): Promise<Assistants> {
  const { workspace } = JSON.parse((await api.get('/workspace')).text) as WorkspaceAnswer;
  return workspace.assistants;
}

const asAdmin = (): ReturnType<typeof signedIn> =>
  signedIn(browser, product, tenantOf(product, 'globex').admin);

const rulesOf = (page: Page) => page.getByRole('region', { name: 'What members may allow' });

async function openRules(page: Page): Promise<void> {
  await page.goto('/settings/assistants');
  await rulesOf(page).getByText('Members may connect assistants').waitFor();
}

async function addHost(page: Page, host: string): Promise<void> {
  const field = rulesOf(page).getByRole('combobox', { name: 'From these hosts alone' });
  await field.fill(host);
  await field.press('Enter');
}

async function save(page: Page): Promise<void> {
  await rulesOf(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is in force from the next request on.').waitFor();
}

/** The offer or the refusal that a member sees whom an assistant on this computer asks. */
async function ask(page: Page): Promise<string> {
  await page.goto((await askingAssistant(product, 'Rules of assistants')).path);
  const offer = page.getByRole('group', { name: 'What may it do?' });
  return offer.or(page.getByRole('alert')).innerText();
}

const refusal = 'Your administrator has not allowed this assistant.';

describe('the rules for assistants', () => {
  it('allow named hosts and some scopes, and are shown so the next time', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^4\d\d GET .*\/oauth\/authorize/);
    await openRules(page);
    await addHost(page, 'claude.ai');
    await save(page);
    expect(await ask(page)).toBe(refusal);
    await openRules(page);
    await addHost(page, 'localhost');
    await rulesOf(page).getByRole('checkbox', { name: 'Drafts' }).uncheck();
    await save(page);
    await page.reload();
    for (const host of ['claude.ai', 'localhost'])
      await rulesOf(page).getByText(host, { exact: true }).waitFor();
    const drafts = rulesOf(page).getByRole('checkbox', { name: 'Drafts' });
    expect(await drafts.isChecked()).toBe(false);
    const scopes = before.scopes.filter((scope) => scope !== 'drafts:write');
    expect(await stored()).toEqual({ enabled: true, clients: ['claude.ai', 'localhost'], scopes });
    const offered = await ask(page);
    expect(offered).toContain('Read and search the mail');
    expect(offered).not.toContain('Write drafts');
    expect(faults.found).toEqual([]);
  });

  it('turn assistants off altogether, and on again', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^4\d\d GET .*\/oauth\/authorize/);
    await openRules(page);
    const hosts = rulesOf(page).getByText('From these hosts alone');
    const flip = () => rulesOf(page).getByRole('switch').click();
    await flip();
    await hosts.waitFor({ state: 'detached' });
    await save(page);
    await openRules(page);
    expect(await rulesOf(page).getByRole('switch').isChecked()).toBe(false);
    expect(await stored()).toEqual({ ...before, enabled: false });
    expect(await ask(page)).toBe(refusal);
    await openRules(page);
    await flip();
    await hosts.waitFor();
    await save(page);
    expect(await ask(page)).toContain('Read and search the mail');
    expect(faults.found).toEqual([]);
  });

  it('refuse what is no host, say which and how it is written, and keep the others', async () => {
    const { page, faults } = await asAdmin();
    faults.expect(/^400 PATCH .*\/workspace$/);
    await openRules(page);
    await addHost(page, 'claude.ai');
    await addHost(page, 'https://claude.ai/mcp');
    await rulesOf(page).getByRole('button', { name: 'Save' }).click();
    await rulesOf(page)
      .getByText(
        '“https://claude.ai/mcp”: expected a host in lower case, without https:// and path',
      )
      .waitFor();
    expect(await stored()).toEqual(before);
    await rulesOf(page)
      .getByRole('combobox', { name: 'From these hosts alone' })
      .press('Backspace');
    await save(page);
    expect(await stored()).toEqual({ ...before, clients: ['claude.ai'] });
    expect(faults.found).toEqual([]);
  });

  it('are not a member’s to see or to change', async () => {
    const { member } = tenantOf(product, 'globex');
    const { page, faults } = await signedIn(browser, product, member);
    await page.goto('/settings/assistants');
    await page.getByRole('region', { name: 'Connect one' }).waitFor();
    expect(await rulesOf(page).count()).toBe(0);
    const own = await SettingsApi.signIn(product, member);
    const change = { assistants: { ...before, enabled: false } };
    expect((await own.patch('/workspace', change)).status).toBe(403);
    expect(await stored()).toEqual(before);
    expect(faults.found).toEqual([]);
  });

  it('stay as they are when their administrator is made a member over the open page', async () => {
    const somebody = await addMember(product, { workspace: 'globex', role: 'admin' });
    const { page, faults } = await signedIn(browser, product, somebody);
    faults.expect(/^403 /);
    await openRules(page);
    await addHost(page, 'claude.ai');
    await api.patch(`/members/${somebody.id}`, { role: 'member' });
    await rulesOf(page).getByRole('button', { name: 'Save' }).click();
    await rulesOf(page)
      .getByRole('alert')
      .getByText(/administrator/)
      .waitFor();
    await rulesOf(page).getByText('claude.ai', { exact: true }).waitFor();
    expect(await stored()).toEqual(before);
    expect(faults.found).toEqual([]);
  });
});
