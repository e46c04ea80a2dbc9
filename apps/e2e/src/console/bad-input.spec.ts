// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApprovalRequest } from '@postroom/contracts';
import type { Browser, Page } from 'playwright-core';
import { until } from '@postroom/testing/until';
import { approvalOf, shownTo } from '../approving.js';
import { outboxWith } from '../sending.js';
import { conversationOf, recordOf } from '../wire.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, type Session, signedIn } from './browser.js';
import { addMember } from './people.js';
import { askingAgent, type AskingAgent } from './requests.js';

let browser: Browser;
let place: Workplace;

beforeAll(async () => {
  place = await Workplace.open('acme');
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const asAdmin = (): Promise<Session> => signedIn(browser, place.product, place.tenant.admin);

const inMailbox = (mailbox: string, id = ''): string => {
  const address = encodeURIComponent(mailbox);
  return `/inbox/all/${id}?in=${address}&mailbox=${address}`;
};

describe('a tab that is behind', () => {
  it('shows both values of what a colleague has changed meanwhile, and saves the one that is chosen', async () => {
    const title = `Stale ${randomUUID()}`;
    const made = await place.settings.post('/v1/tasks', { title, notes: 'At first.' });
    const { id } = recordOf(made)['task'] as { id: string };
    const { page, faults } = await asAdmin();
    faults.expect(/^409 PATCH .*\/v1\/tasks\//);
    await page.goto(`/tasks?q=${encodeURIComponent(title)}`);
    await page.getByText(title).first().click();
    const drawer = page.getByRole('dialog', { name: 'Task' });
    await drawer.getByLabel('Notes').fill('By me.');
    const theirs = { notes: 'By a colleague.', priority: 'high' };
    await place.settings.patch(`/v1/tasks/${id}`, theirs);
    await drawer.getByRole('button', { name: 'Save' }).click();
    const values = drawer.getByRole('table', { name: 'Values that differ' });
    await values.getByRole('row', { name: /Notes.*By me\..*By a colleague\./ }).waitFor();
    expect(await drawer.getByLabel('Notes').inputValue()).toBe('By me.');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    const { task } = recordOf(await place.settings.get(`/v1/tasks/${id}`));
    expect(task).toMatchObject({ notes: 'By me.', priority: 'high' });
    expect(faults.found).toEqual([]);
  });

  it('has, once it is back from a lost connection, what came meanwhile', async () => {
    const mailbox = await place.mailbox();
    const key = await place.keyFor(mailbox);
    await place.receive(key, mailbox, { subject: 'Before' });
    const { page, context, faults } = await asAdmin();
    faults.expect(/^net::/);
    await page.goto(inMailbox(mailbox));
    await page.getByRole('option', { name: 'Before' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('status').getByText('You are offline.').waitFor();
    await place.receive(key, mailbox, { subject: 'Meanwhile' });
    await context.setOffline(false);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('option', { name: 'Meanwhile' }).waitFor();
    expect(faults.found).toEqual([]);
  });
});

describe('a connection that is lost in the middle of a send', () => {
  it.each(['after', 'before'])('%s the request has arrived: it leaves once', async (when) => {
    const mark = `mark-${randomUUID()}`;
    const mailbox = await place.mailbox();
    const { id } = await place.receive(await place.keyFor(mailbox), mailbox);
    const { page, faults } = await asAdmin();
    faults.expect(/^net::ERR_CONNECTION_RESET .*\/send$/);
    let sends = 0;
    await page.route('**/v1/drafts/*/send', async (route) => {
      sends += 1;
      if (sends > 1) return route.continue();
      if (when === 'after') await route.fetch();
      return route.abort('connectionreset');
    });
    await page.goto(inMailbox(mailbox, id));
    await page.getByRole('button', { name: 'Reply', exact: true }).last().click();
    const panel = page.getByRole('region', { name: 'Reply' });
    await panel.getByRole('textbox', { name: 'Message' }).pressSequentially(mark);
    await panel.getByRole('button', { name: 'Send', exact: true }).click();
    await panel.waitFor({ state: 'detached' });
    await until(async () => (await outboxWith(place.product, mark)).length > 0);
    expect(sends).toBe(when === 'after' ? 1 : 2);
    const read = `/v1/conversations/${id}?mailbox=${encodeURIComponent(mailbox)}`;
    await until(async () => conversationOf(await place.settings.get(read)).messageCount === 2);
    expect(await outboxWith(place.product, mark)).toHaveLength(1);
    expect(faults.found).toEqual([]);
  });
});

describe('a request of an agent', () => {
  it('whose target has changed meanwhile is refused, and the page says so', async () => {
    const { agent, draftId, page, faults } = await draftOf('The text at first.');
    const filed = await changeDraft(agent, draftId, 'What the agent wants.');
    const { mailbox } = agent;
    await place.settings.patch(`/v1/drafts/${draftId}`, {
      ...{ mailbox, draft: { body: 'What a colleague wrote.' } },
    });
    await page.goto(`/approvals/${filed.id}`);
    await approve(page);
    await page.getByText('Refused: it could not be carried out any more').waitFor();
    expect(await shownTo(place.settings, filed)).toMatchObject({ state: 'refused' });
    expect(await bodyOf(mailbox, draftId)).toBe('What a colleague wrote.');
    expect(faults.found).toEqual([]);
  });

  it('cannot be decided by whom the right was taken from over the open page', async () => {
    const agent = await askingAgent(place);
    const filed = await agent.comment('Undecided');
    const somebody = await addMember(place.product, { name: 'Rita Rightless', canApprove: true });
    const { page, faults } = await signedIn(browser, place.product, somebody);
    faults.expect(/^403 POST .*approve$/);
    await page.goto(`/approvals/${filed.id}`);
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
    await place.settings.patch(`/members/${somebody.id}`, { canApprove: false });
    await approve(page);
    await page.getByText('Only a member who may approve can decide.').waitFor();
    expect(await shownTo(place.settings, filed)).toMatchObject({ state: 'pending' });
    expect(faults.found).toEqual([]);
  });

  const lines = (word: string): string => `${word} one two three four five.\n`.repeat(15_000);

  it.each([
    ['a word', (body: string) => body.replace('7654321', 'CHANGED')],
    ['every line', () => lines('Other')],
  ])(
    'that changes %s of half a megabyte shows a difference that can be read',
    async (_, change) => {
      const body = `${lines('Line')}7654321\n${lines('Line')}`.slice(0, 500_000);
      const middle = `${body.slice(0, 250_000)} 7654321 ${body.slice(250_000)}`;
      const { agent, draftId, page, faults } = await draftOf(middle);
      const filed = await changeDraft(agent, draftId, change(middle));
      await page.goto(`/approvals/${filed.id}`);
      const shown = page.getByRole('group', { name: 'Text of the mail' });
      await shown
        .getByText(/CHANGED|Other one two/)
        .first()
        .waitFor();
      expect(((await shown.textContent()) ?? '').length).toBeLessThan(20_000);
      await approve(page);
      await page.getByText('Approved and done').first().waitFor();
      expect(await bodyOf(agent.mailbox, draftId)).toBe(change(middle));
      expect(faults.found).toEqual([]);
    },
  );
});

/** A draft of an agent's mailbox, and the page of an administrator. */
async function draftOf(body: string) {
  const agent = await askingAgent(place);
  const draft = { subject: 'Your order', body, to: 'camille@correspondent.example' };
  const made = await place.settings.post('/v1/drafts', { mailbox: agent.mailbox, draft });
  const { id } = recordOf(made)['draft'] as { id: string };
  return { agent, draftId: id, ...(await asAdmin()) };
}

const changeDraft = async (
  { api, mailbox }: AskingAgent,
  id: string,
  body: string,
): Promise<ApprovalRequest> =>
  approvalOf(
    await api.request('PATCH', `/v1/drafts/${id}`, JSON.stringify({ mailbox, draft: { body } }), {
      'Idempotency-Key': randomUUID(),
    }),
  );

async function bodyOf(mailbox: string, id: string): Promise<string> {
  const path = `/v1/drafts/${id}?mailbox=${encodeURIComponent(mailbox)}`;
  return (recordOf(await place.settings.get(path))['draft'] as { body: string }).body;
}

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
}

describe('names with markup and marks that turn the direction of a text', () => {
  const evil = `<img src=x onerror="window.ran=1">\u202Egnp.exe\u2066 `;

  it('run nothing, and turn nothing around them, wherever they are shown', async () => {
    const { settings } = place;
    const named = `${evil}${randomUUID().slice(0, 8)}`;
    const mailbox = await place.mailbox();
    const from = { name: named, address: 'mallory@correspondent.example' };
    const key = await place.key({
      name: named,
      mailboxes: [{ address: mailbox, access: 'write' }],
    });
    const { id } = await place.receive(key, mailbox, { from, subject: named, text: named });
    const conversation = `/v1/conversations/${id}`;
    await settings.post(`${conversation}/label`, { mailbox, add: [named] });
    await settings.post(`${conversation}/comment`, { mailbox, text: named });
    await settings.post('/v1/tasks', { mailbox, threadId: id, title: named });
    await settings.post('/teams', { name: named, memberIds: [] });
    await settings.post('/v1/calendars', { name: named });
    await settings.post('/address-books', { name: named, access: 'workspace' });
    await addMember(place.product, { name: named });
    const agent = await askingAgent(place, named);
    const filed = await agent.comment(named);
    const { page, faults } = await asAdmin();
    for (const path of [
      inMailbox(mailbox, id),
      ...['/tasks', '/contacts', '/calendar', '/keys', '/settings/people', '/audit'],
      `/approvals/${filed.id}`,
    ]) {
      await page.goto(path);
      await page.getByText('gnp.exe').first().waitFor();
      expect([path, await page.evaluate(turned)]).toEqual([path, []]);
      expect(await page.locator('img[src=x]').count()).toBe(0);
    }
    expect(await page.evaluate('window.ran ?? null')).toBeNull();
    expect(faults.found).toEqual([]);
  });
});

/** The texts with such a mark that stand among others, and that no element isolates from them. */
const turned = `(() => {
  const found = [];
  const isIsolated = ({ data, parentElement }) => {
    for (let at = parentElement; at; at = at.parentElement) {
      const { display, unicodeBidi } = getComputedStyle(at);
      if (/isolate|plaintext/.test(unicodeBidi) || at.matches('option, script, style')) return true;
      if (at.textContent.trim() !== data.trim()) return false;
      if (!['inline', 'contents'].includes(display)) return true;
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (/[\\u202a-\\u202e\\u2066-\\u2069]/.test(data) && !isIsolated(walker.currentNode))
      found.push(parentElement.outerHTML.slice(0, 200));
  }
  return found;
})()`;
