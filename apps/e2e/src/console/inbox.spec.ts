// tags: console
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { until } from '@postroom/testing/until';
import { sharedProductFile } from '../config.js';
import { type Product, tenantOf } from '../product.js';
import { StoredRows } from '../stored-rows.js';
import { conversationOf, itemsOf } from '../wire.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, type Session, type SessionOptions, signedIn } from './browser.js';

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

/** A mailbox of its own with a conversation for each subject, the last on top. @returns the ids by subject */
async function mailboxWith(...subjects: readonly string[]) {
  const mailbox = await workplace.mailbox();
  const key = await workplace.keyFor(mailbox);
  const ids = new Map<string, string>();
  for (const subject of subjects) {
    const { id } = await workplace.receive(key, mailbox, { subject, text: `About ${subject}.` });
    ids.set(subject, id);
  }
  return { mailbox, key, ids };
}

const signedInAs = (who: 'admin' | 'member', options?: SessionOptions): Promise<Session> =>
  signedIn(browser, product, tenantOf(product, 'acme')[who], options);

const list = (page: Page) => page.getByRole('listbox');
const rowOf = (page: Page, subject: string) => list(page).getByRole('option', { name: subject });
const thread = (page: Page) => page.getByRole('region', { name: 'Conversation', exact: true });
const titleOf = (page: Page, subject: string) =>
  thread(page).getByRole('heading', { name: subject, level: 2 });

describe('the inbox', () => {
  it('scrolls 100,000 conversations with at most 200 rows in the document, and shows what comes when asked', async () => {
    const { mailbox, key, ids } = await mailboxWith('The newest of many');
    const rows = await StoredRows.of(sharedProductFile());
    await rows.repeatConversation(ids.get('The newest of many') ?? '', 100_000);
    await rows.close();
    const { page, faults } = await signedInAs('admin');
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'The newest of many').first().waitFor();
    for (const wanted of [40, 300, 900, 1_500]) {
      await until(async () => {
        await page.evaluate('document.querySelector("[role=listbox]").scrollTop += 40000');
        return (await lastIndex(page)) >= wanted;
      });
      expect(await list(page).getByRole('option').count()).toBeLessThan(200);
    }
    const before = await scrolledTo(page);
    await workplace.receive(key, mailbox, { subject: 'It came meanwhile' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await scrolledTo(page)).toBe(before);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.evaluate('document.querySelector("[role=listbox]").scrollTop = 0');
    await rowOf(page, 'It came meanwhile').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('is triaged by keys, with undo, and the next conversation opens', async () => {
    const { mailbox, key, ids } = await mailboxWith('Third', 'Second', 'First');
    const { page, faults } = await signedInAs('admin');
    const state = async (subject: string) => {
      const path = `/v1/conversations/${ids.get(subject) ?? ''}`;
      return conversationOf(await key.get(path, { mailbox }));
    };
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'First').waitFor();
    await page.keyboard.press('Enter');
    await titleOf(page, 'First').waitFor();
    await page.getByText('About First.').first().waitFor();
    await until(async () => !(await state('First')).unread);
    await page.keyboard.press('e');
    await titleOf(page, 'Second').waitFor();
    await until(async () => (await state('First')).placement === 'archived');
    await page.keyboard.press('z');
    await rowOf(page, 'First').waitFor();
    await until(async () => (await state('First')).placement === 'inbox');
    await page.keyboard.press('m');
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Label, or a new one' }).fill('Refund');
    await page.keyboard.press('Enter');
    await page.keyboard.press('h');
    await page.getByRole('combobox').fill('2 days');
    await page.keyboard.press('Enter');
    await titleOf(page, 'Third').waitFor();
    await until(async () => {
      const { assignee, labels } = await state('Second');
      return assignee === workplace.tenant.admin.email && labels.includes('Refund');
    });
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('J');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('#');
    await until(async () => (await state('Third')).placement === 'trash');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await until(async () => (await state('Third')).placement === 'inbox');
    expect(faults.found).toEqual([]);
  });

  it('keeps a conversation open that is assigned, and opens from a tab by keys', async () => {
    const { mailbox } = await mailboxWith('Below', 'Above');
    const { page, faults } = await signedInAs('admin');
    await page.goto(`/inbox/unassigned?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'Above').click();
    await titleOf(page, 'Above').waitFor();
    await page.keyboard.press('m');
    const notice = page.getByText(/^“Above” is assigned to .+[.]$/);
    await notice.waitFor();
    // It stands beside the navigation, and not over the button of the account.
    expect((await notice.boundingBox())?.x).toBeGreaterThan(216);
    await rowOf(page, 'Above').waitFor({ state: 'detached' });
    await titleOf(page, 'Above').waitFor();
    await page.keyboard.press('j');
    await titleOf(page, 'Below').waitFor();
    await page.getByRole('link', { name: /^All/ }).click();
    await rowOf(page, 'Below').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/inbox/all/cnv_*');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search places and commands').fill('snooze');
    await page.getByRole('dialog').getByText('Snooze …').waitFor();
    await page.keyboard.press('Enter');
    const when = page.getByRole('dialog', { name: 'Snooze for yourself until' });
    await when.getByRole('combobox').fill('tomorrow 9am');
    await when.getByRole('option', { name: /^Until tomorrow 9am .* 09:00$/ }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('shows hostile mail, of which nothing runs, leaves or leads away', async () => {
    const { mailbox, ids } = await mailboxWith('Hostile');
    const { page, faults } = await signedInAs('admin');
    // The frame's own policy refuses what the sanitiser would have removed.
    faults.expect(/^(policy|console): .*/);
    const foreign: string[] = [];
    await page.route('https://evil.example/**', (route) => {
      foreign.push(route.request().url());
      return route.abort();
    });
    await page.route(
      `**/settings/api/v1/conversations/${ids.get('Hostile') ?? ''}?*`,
      async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as {
          conversation: { messages: { html: string }[] };
        };
        for (const message of answer.conversation.messages) message.html = hostile;
        await route.fulfill({ response, json: answer });
      },
    );
    await page.goto(`/inbox/all/${ids.get('Hostile') ?? ''}?in=${encodeURIComponent(mailbox)}`);
    const frame = page.frameLocator('iframe[title="Text of the message"]');
    await frame.getByText('The text of it').waitFor();
    await frame.getByText('Press me').dispatchEvent('click');
    await frame.getByText('A script').dispatchEvent('click');
    // Shortcuts work from inside the mail too.
    await frame.getByText('Press me').focus();
    await frame.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await page.evaluate('window.ran ?? null')).toBeNull();
    expect(page.frames().map((one) => new URL(one.url()).pathname)).toContain('/mail-frame.html');
    expect(page.frames().filter((one) => one.url().includes('evil'))).toEqual([]);
    expect(foreign).toEqual([]);
    expect(page.context().pages()).toHaveLength(1);
  });

  it('tells two members of each other, and of each other’s changes', async () => {
    const { mailbox, ids } = await mailboxWith('Shared');
    const [ada, max] = [await signedInAs('admin'), await signedInAs('member')];
    const path = `/inbox/all/${ids.get('Shared') ?? ''}?in=${encodeURIComponent(mailbox)}&mailbox=${encodeURIComponent(mailbox)}`;
    await ada.page.goto(path);
    await titleOf(ada.page, 'Shared').waitFor();
    await max.page.goto(path);
    await ada.page.getByText('Max Member is reading this too.').waitFor();
    await max.page.getByRole('region', { name: 'Messages' }).waitFor();
    await max.page.keyboard.press('r');
    await ada.page.getByText('Max Member is writing an answer.').waitFor();
    await ada.page.keyboard.press('e');
    await max.page
      .getByRole('heading', { name: 'The inbox is empty' })
      .or(max.page.getByRole('heading', { name: 'Nothing matches' }))
      .waitFor();
    for (const { faults } of [ada, max]) expect(faults.found).toEqual([]);
  });

  it('says so where a conversation is gone, or a mailbox is no longer shared', async () => {
    const { mailbox, ids } = await mailboxWith('Private');
    const { page, faults } = await signedInAs('member');
    faults.expect(/^40[34] GET/);
    await page.goto(`/inbox/all/cnv_01M8DB2AFG3EBZ6NWXPKR7J1AZ?in=${encodeURIComponent(mailbox)}`);
    await page.getByRole('heading', { name: 'This conversation is gone' }).waitFor();
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'Private').waitFor();
    const mailboxes = itemsOf(await workplace.settings.get('/mailboxes'));
    const id = String(mailboxes.find(({ address }) => address === mailbox)?.['id']);
    await workplace.settings.patch(`/mailboxes/${id}`, { access: [] });
    await rowOf(page, 'Private').click();
    await page.getByRole('heading', { name: 'You may not read this mailbox' }).waitFor();
    expect(ids.size).toBe(1);
    expect(faults.found).toEqual([]);
  });

  it('shows one pane at a time on a narrow window', async () => {
    const { mailbox } = await mailboxWith('Narrow');
    const { page, faults } = await signedInAs('admin', { viewport: { width: 390, height: 844 } });
    const { promise: isRead, resolve: read } = Promise.withResolvers<undefined>();
    await page.route('**/v1/conversations/*', async (route) => {
      await isRead;
      await route.continue();
    });
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'Narrow').click();
    await titleOf(page, 'Narrow').waitFor();
    expect(await list(page).isVisible()).toBe(false);
    // It is there before the messages are.
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Assignee' }).waitFor();
    read(undefined);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await rowOf(page, 'Narrow').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('shows the sender’s contact as soon as a colleague has made it one', async () => {
    const mailbox = await workplace.mailbox();
    const email = `${randomUUID()}@outside.example`;
    const from = { name: 'Ines Inquirer', address: email };
    const { id } = await workplace.receive(await workplace.keyFor(mailbox), mailbox, { from });
    const { page, faults } = await signedInAs('admin');
    await page.goto(`/inbox/all/${id}?in=${encodeURIComponent(mailbox)}`);
    await page.getByText('Not among your contacts').waitFor();
    const [book] = itemsOf(await workplace.settings.get('/address-books'));
    const emails = [{ value: email }];
    await workplace.settings.post('/v1/contacts', {
      ...{ bookId: book?.['id'], displayName: 'Ines Inquirer', emails },
    });
    await page.getByRole('link', { name: 'Contact and history' }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('finds by words and operators, and keeps the query in the address', async () => {
    const word = `z${randomUUID().slice(0, 8)}`;
    const { mailbox } = await mailboxWith(`Invoice ${word}`, 'Something else');
    const { page, faults } = await signedInAs('admin');
    await page.goto(`/inbox/all?mailbox=${encodeURIComponent(mailbox)}`);
    await rowOf(page, 'Something else').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(`subject:${word}`);
    await page.keyboard.press('Enter');
    await rowOf(page, word).waitFor();
    expect(await list(page).getByRole('option').count()).toBe(1);
    await page.reload();
    await rowOf(page, word).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe(`subject:${word}`);
    expect(faults.found).toEqual([]);
  });
});

/** The position of the last row in the document. */
const scrolledTo = (page: Page): Promise<unknown> =>
  page.evaluate('document.querySelector("[role=listbox]").scrollTop');

const lastIndex = async (page: Page): Promise<number> =>
  Number(await list(page).getByRole('option').last().getAttribute('aria-posinset'));

const hostile = `<html><head><meta http-equiv="refresh" content="0;url=https://evil.example/refresh">
<base href="https://evil.example/"><link rel="stylesheet" href="https://evil.example/style.css">
<script>top.ran = 'script'</script></head>
<body onload="top.ran = 'onload'"><p>The text of it</p>
<img src="x" onerror="top.ran = 'onerror'"><img src="https://evil.example/pixel.png">
<svg onload="top.ran = 'svg'"><script>top.ran = 'svg script'</script></svg>
<form action="https://evil.example/form"><input name="password"><button>Press me</button></form>
<iframe src="https://evil.example/frame"></iframe><iframe srcdoc="<script>top.ran = 'srcdoc'</script>"></iframe>
<object data="https://evil.example/object"></object><embed src="https://evil.example/embed">
<a href="javascript:top.ran = 'link'">A script</a>
<div style="position:fixed;inset:0;background:url(https://evil.example/background)"></div></body></html>`;
