// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type Mail from 'nodemailer/lib/mailer/index.js';
import type { Browser, Page } from 'playwright-core';
import { until } from '@postroom/testing/until';
import { type Person, type Product, tenantOf } from '../product.js';
import { outboxWith } from '../sending.js';
import { conversationOf } from '../wire.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, type Session, signedIn, signIn } from './browser.js';

let browser: Browser;
let product: Product;
let workplace: Workplace;
let admin: Person;

beforeAll(async () => {
  workplace = await Workplace.open('acme');
  product = workplace.product;
  admin = tenantOf(product, 'acme').admin;
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

interface OpenConversation extends Session {
  readonly mailbox: string;
  readonly id: string;
  /** A text that no other message has. */
  readonly mark: string;
}

/** A conversation of its own, open on the page of the administrator. */
async function atConversation(mail: Mail.Options = {}): Promise<OpenConversation> {
  const mailbox = await workplace.mailbox();
  const key = await workplace.keyFor(mailbox);
  const { id } = await workplace.receive(key, mailbox, { text: 'When does it leave?', ...mail });
  const session = await signedIn(browser, product, admin);
  // The list is that of its mailbox: the member has those of every test.
  const address = encodeURIComponent(mailbox);
  await session.page.goto(`/inbox/all/${id}?in=${address}&mailbox=${address}`);
  return { ...session, mailbox, id, mark: `mark-${randomUUID()}` };
}

const panel = (page: Page) => page.getByRole('region', { name: /^(Reply|Draft|New message)$/ });
const text = (page: Page) => panel(page).getByRole('textbox', { name: 'Message' });
const status = (page: Page, words: RegExp) =>
  panel(page).getByRole('status').filter({ hasText: words }).waitFor();

async function reply(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Reply', exact: true }).last().click();
  await text(page).pressSequentially(words);
}

async function newMessage(page: Page, to: string, subject: string): Promise<void> {
  await page.getByRole('button', { name: 'New message' }).first().click();
  await panel(page).getByLabel('To', { exact: true }).fill(to);
  await panel(page).getByLabel('To', { exact: true }).press('Enter');
  await panel(page).getByLabel('Subject').fill(subject);
}

const send = (page: Page) => panel(page).getByRole('button', { name: 'Send', exact: true });

/** The message has left, and left once. */
async function leftOnce(mark: string): Promise<void> {
  await until(async () => (await outboxWith(product, mark)).length > 0, 60_000);
  expect(await outboxWith(product, mark)).toHaveLength(1);
}

/** By how much what stands in a notice is wider than its place. */
const overflowOfNotices = `Math.max(
  ...[...document.querySelectorAll('section [role=alert] div')]
    .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`;

const draftsOf = async ({ mailbox }: OpenConversation): Promise<readonly { body: string }[]> => {
  const answer = await workplace.settings.get(`/v1/drafts?mailbox=${encodeURIComponent(mailbox)}`);
  return (JSON.parse(answer.text) as { drafts: { body: string }[] }).drafts;
};

describe('the composer', () => {
  it('sends a reply after a time in which it can be undone, and once for two clicks', async () => {
    const { page, mark, faults } = await atConversation();
    await reply(page, mark);
    await send(page).click();
    await page.getByRole('button', { name: 'Undo (Z)' }).click();
    await text(page).getByText(mark).waitFor();
    expect(await outboxWith(product, mark)).toEqual([]);
    await send(page).dblclick();
    await panel(page).waitFor({ state: 'detached' });
    await leftOnce(mark);
    expect(faults.found).toEqual([]);
  });

  it('keeps what is written over a lost connection and a reload, in one draft', async () => {
    const place = await atConversation();
    const { page, context, mark, faults } = place;
    faults.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
    await reply(page, mark);
    await status(page, /^Draft saved/);
    await context.setOffline(true);
    await text(page).pressSequentially(' and more');
    await status(page, /until the connection is back/);
    await context.setOffline(false);
    await status(page, /^Draft saved/);
    await page.reload();
    await text(page).getByText(`${mark} and more`).waitFor();
    const drafts = await draftsOf(place);
    expect(drafts.map(({ body }) => body.includes(`${mark} and more`))).toEqual([true]);
    expect(faults.found).toEqual([]);
  });

  it('asks for the password over the page when the session ends, and sends what was written once', async () => {
    const { page, context, mark, faults } = await atConversation();
    faults.expect(/^401 /);
    await reply(page, 'Before. ');
    await status(page, /^Draft saved/);
    await context.clearCookies();
    await page.keyboard.insertText(mark);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(admin.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await status(page, /^Draft saved/);
    await text(page).getByText(`Before. ${mark}`).waitFor();
    await send(page).click();
    await panel(page).waitFor({ state: 'detached' });
    await leftOnce(mark);
    expect(faults.found).toEqual([]);
  });

  it('sends of the draft of a key what the editor shows', async () => {
    const { page, id, mailbox, mark, faults } = await atConversation();
    const key = await workplace.keyFor(mailbox, { scopes: ['drafts:write'] });
    // Nothing is folded away in the draft of a program, however that names its parts.
    const folded = '<div class="postroom-quote">Said in a quotation.</div>';
    const body = `<p>${mark}</p><noscript>Unseen.</noscript>${folded}`;
    const to = [{ email: 'zoe@outside.example' }];
    await key.post('/v1/drafts', { mailbox, draft: { threadId: id, to, subject: mark, body } });
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await panel(page).getByText('Parts that the editor cannot show were left out.').waitFor();
    await text(page).getByText('Said in a quotation.').waitFor();
    await send(page).click();
    await leftOnce(mark);
    expect((await outboxWith(product, mark))[0]).not.toContain('Unseen');
    expect(faults.found).toEqual([]);
  });

  it('takes a colleague’s version of the open draft at once, and asks where both have written', async () => {
    const from = `${'customer'.repeat(6)}@${'mail'.repeat(10)}.example`;
    const { page, mailbox, mark, faults } = await atConversation({ from });
    await reply(page, mark);
    await status(page, /^Draft saved/);
    const query = `mailbox=${encodeURIComponent(mailbox)}`;
    const answer = await workplace.settings.get(`/v1/drafts?${query}`);
    const { drafts } = JSON.parse(answer.text) as { drafts: { id: string }[] };
    const id = drafts[0]?.id ?? '';
    const write = (body: string) =>
      workplace.settings.patch(`/v1/drafts/${id}`, { mailbox, draft: { body } });
    await write('<p>Theirs, taken.</p>');
    await text(page).getByText('Theirs, taken.').waitFor();
    faults.expect(/^409 /);
    await Promise.all([
      text(page).pressSequentially('This is still being written', { delay: 100 }),
      write('<p>Theirs, told.</p>'),
    ]);
    const notice = panel(page).getByRole('alert').filter({ hasText: 'Somebody else changed' });
    await notice.getByText('Theirs, told.').waitFor();
    // Both values fit, and Send stays on the screen.
    await page.setViewportSize({ width: 1280, height: 720 });
    expect(await page.evaluate(overflowOfNotices)).toBe(0);
    const button = await send(page).boundingBox();
    expect((button?.y ?? 720) + (button?.height ?? 0)).toBeLessThanOrEqual(720);
    await notice.getByRole('button', { name: 'Take theirs' }).click();
    await text(page).getByText('Theirs, told.').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('keeps from the next member of the tab what was written and not sent', async () => {
    const { page, context, mark, faults } = await atConversation();
    faults.expect(/^401 /);
    page.on('dialog', (dialog) => void dialog.accept());
    const kept = (): Promise<string> => page.evaluate('JSON.stringify(sessionStorage)');
    await page.getByRole('button', { name: 'Comment', exact: true }).last().click();
    await page.getByRole('textbox', { name: 'Comment' }).fill(mark);
    expect(await kept()).toContain(mark);
    await context.clearCookies();
    await signIn(page, tenantOf(product, 'acme').member);
    await until(async () => !(await kept()).includes(mark));
    expect(faults.found).toEqual([]);
  });

  it('uploads files apart with their progress, and says before it that one is too large', async () => {
    const { page, mark, faults } = await atConversation();
    await reply(page, mark);
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    await page.route('**/v1/attachments?**', async (route) => {
      await gate;
      await route.continue();
    });
    const file = (name: string, size: number) => ({
      ...{ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') },
    });
    const input = panel(page).locator('input[type=file]');
    await input.setInputFiles(file('large.txt', 20_000_000));
    await panel(page).getByRole('alert').filter({ hasText: 'Too large' }).waitFor();
    await input.setInputFiles(file('small.txt', 50_000));
    await panel(page)
      .getByRole('progressbar', { name: 'Upload of small.txt' })
      .waitFor({ state: 'attached' });
    expect(await panel(page).getByRole('button', { name: 'Waiting for files' }).isDisabled()).toBe(
      true,
    );
    open(undefined);
    await panel(page).getByRole('group', { name: 'Files' }).getByText('50 kB').waitFor();
    await send(page).click();
    await leftOnce(mark);
    expect((await outboxWith(product, mark))[0]).toContain('small.txt');
    expect(faults.found).toEqual([]);
  });

  it('shows what data-loss prevention has found, and sends on a deliberate word', async () => {
    const { page, mailbox, mark, faults } = await atConversation();
    faults.expect(/^409 POST .*\/send$/);
    const rule = { name: 'Project names', detector: 'pattern', pattern: 'Nightingale' };
    await workplace.settings.post('/dlp-rules', { ...rule, action: 'warn', mailboxes: [mailbox] });
    await reply(page, `Nightingale ${mark}`);
    await send(page).click();
    const dialog = page.getByRole('dialog', { name: 'Look again before it leaves' });
    await dialog.getByRole('cell', { name: 'Project names' }).waitFor();
    expect(await outboxWith(product, mark)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send anyway' }).click();
    await leftOnce(mark);
    expect(faults.found).toEqual([]);
  });

  it('asks before it writes to a suppressed address, which is removed and comes back', async () => {
    const { page, mark, faults } = await atConversation();
    faults.expect(/^409 POST .*\/send$/);
    const address = `${mark}@outside.example`;
    const row = page.getByRole('listitem').filter({ hasText: address });
    await page.goto('/settings/safety');
    await page.getByLabel('Address to suppress').fill(address);
    await page.getByRole('button', { name: 'Add it' }).click();
    await row.getByText('added by a member').waitFor();
    await newMessage(page, address, mark);
    await send(page).click();
    const dialog = page.getByRole('dialog', { name: 'Look again before it leaves' });
    await dialog.getByText(address).waitFor();
    await dialog.getByRole('button', { name: 'Send anyway' }).click();
    await leftOnce(mark);
    await page.goto('/settings/safety');
    await row.getByRole('button', { name: `Remove ${address}` }).click();
    await row.waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await row.waitFor();
    expect(faults.found).toEqual([]);
  });

  it('sends a new message later, and holds it back', async () => {
    const { page, mark, faults } = await atConversation();
    await page.goto('/inbox/drafts');
    await newMessage(page, 'zoe@outside.example', mark);
    await text(page).pressSequentially('Later.');
    await panel(page).getByRole('button', { name: 'More ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Send later' }).click();
    await page.getByRole('button', { name: 'Monday morning' }).click();
    await page.getByRole('button', { name: 'Schedule' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Scheduled' }).click();
    const row = page.getByRole('article', { name: mark });
    await row.getByText('Leaves').waitFor();
    await row.getByRole('button', { name: 'Hold back' }).click();
    await text(page).getByText('Later.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(faults.found).toEqual([]);
  });

  it('forwards a message with its text and files, and lists it among what was sent', async () => {
    const attachments = [{ filename: 'plan.txt', content: 'The plan of it.' }];
    const { page, mailbox, mark, faults } = await atConversation({ attachments });
    await page.getByRole('button', { name: 'Forward', exact: true }).last().click();
    const forward = page.getByRole('region', { name: 'Forward' });
    await forward.getByLabel('To', { exact: true }).fill('zoe@outside.example');
    await forward.getByLabel('To', { exact: true }).press('Enter');
    await forward.getByRole('textbox', { name: 'Message' }).pressSequentially(mark);
    await forward.getByRole('group', { name: 'Files' }).getByText('15 B').waitFor();
    await forward.getByRole('button', { name: 'Send', exact: true }).click();
    await leftOnce(mark);
    const [sent = ''] = await outboxWith(product, mark);
    const file = ['plan.txt', Buffer.from('The plan of it.').toString('base64')];
    for (const part of [
      'To: zoe@outside.example',
      'Subject: Fwd: ',
      'When does it leave?',
      ...file,
    ])
      expect(sent).toContain(part);
    await page.goto(`/inbox/sent?mailbox=${encodeURIComponent(mailbox)}`);
    await page.getByRole('option', { name: /To zoe@outside\.example.*Fwd: / }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('adds an internal comment, which is no answer', async () => {
    const { page, mailbox, id, mark, faults } = await atConversation();
    await page.getByRole('button', { name: 'Comment', exact: true }).last().click();
    const comment = page.getByRole('region', { name: 'Internal comment' });
    await comment.getByRole('textbox', { name: 'Comment' }).fill(mark);
    await comment.getByRole('button', { name: 'Add comment' }).click();
    await comment.waitFor({ state: 'detached' });
    await page.getByText(mark).first().waitFor();
    const answer = await workplace.settings.get(
      `/v1/conversations/${id}?mailbox=${encodeURIComponent(mailbox)}`,
    );
    expect(conversationOf(answer)).toMatchObject({ commentCount: 1, messageCount: 1 });
    expect(faults.found).toEqual([]);
  });
});
