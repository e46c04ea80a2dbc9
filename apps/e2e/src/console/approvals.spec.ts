// tags: console
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { approvalOf } from '../approving.js';
import { Workplace } from '../workplace.js';
import { closePages, openBrowser, seenAt, type Session, signedIn } from './browser.js';
import { type AskingAgent, askingAgent } from './requests.js';

let browser: Browser;
let place: Workplace;
let agent: AskingAgent;
let session: Session;

beforeAll(async () => {
  place = await Workplace.open('acme');
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const queueOf = ({ keyId }: AskingAgent): string => `/approvals?key=${keyId}`;

/** A queue of an agent of its own, with that many comments. */
async function open(...texts: string[]): Promise<Page> {
  agent = await askingAgent(place);
  for (const text of texts) await agent.comment(text);
  session = await signedIn(browser, place.product, place.tenant.admin);
  await session.page.goto(queueOf(agent));
  return session.page;
}

describe('the approvals page', () => {
  it('lets a request be decided with the keyboard alone, and shows the next one', async () => {
    const page = await open('The first comment', 'The second comment');
    await page.getByText('2 waiting').waitFor();
    await said(page, 'The second comment').waitFor();
    await page.keyboard.press('j');
    await said(page, 'The first comment').waitFor();
    await active(page);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await said(page, 'The second comment').waitFor();
    await page.getByText('1 waiting').waitFor();
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Why not?' }).waitFor();
    await page.keyboard.type('It says nothing new.');
    await page.keyboard.press('Enter');
    await page.getByText('0 waiting').waitFor();
    const states = (await all(agent)).map(({ state, comment }) => [state, comment]);
    expect(states).toEqual([
      ['rejected', 'It says nothing new.'],
      ['executed', null],
    ]);
    expect(session.faults.found).toEqual([]);
  });

  it('shows a request within a second of its filing', async () => {
    const page = await open();
    await page.getByText('0 waiting').waitFor();
    const waits: number[] = [];
    // Others are filed only while none was quick: the machine may be busy just then.
    for (let tries = 0; tries < 12 && Math.min(...waits) >= 1_000; tries++) {
      const subject = `Filed as ${randomUUID()}`;
      const seen = seenAt(page, subject);
      const { createdAt } = await agent.draft(subject, 'A draft.');
      waits.push((await seen) - Date.parse(createdAt));
    }
    expect(Math.min(...waits)).toBeLessThan(1_000);
    expect(session.faults.found).toEqual([]);
  });

  it('shows the second of two who decide at the same time who was first, and carries it out once', async () => {
    const page = await open('Decided by two');
    await active(page);
    const other = await signedIn(browser, place.product, place.tenant.member);
    other.faults.expect(/^409 POST .*approve$/);
    const [filed] = await all(agent);
    await other.page.goto(`/approvals/${filed?.id ?? ''}`);
    await page.getByText(/looks at this too/).waitFor();
    await active(other.page);
    const { promise: gate, resolve: goOn } = Promise.withResolvers<undefined>();
    await other.page.route('**/approve', async (route) => {
      await gate;
      await route.continue();
    });
    const refused = other.page.waitForResponse(/approve$/);
    await approveIn(other.page);
    await approveIn(page);
    await page.getByText('0 waiting').waitFor();
    goOn(undefined);
    expect((await refused).status()).toBe(409);
    await other.page.getByText('Approved and done').waitFor();
    await other.page.getByText(/^Decided by Ada Administrator/).waitFor();
    const { conversation } = JSON.parse(
      (await place.settings.get(`/v1/conversations/${agent.conversationId}?${inMailbox()}`)).text,
    ) as { conversation: { comments: { text: string }[] } };
    expect(conversation.comments.map(({ text }) => text)).toEqual(['Decided by two']);
    expect([...session.faults.found, ...other.faults.found]).toEqual([]);
  });

  it('keeps the reason of who was about to reject what another approves', async () => {
    const page = await open('Rejected too late');
    await active(page);
    const other = await signedIn(browser, place.product, place.tenant.member);
    const [filed] = await all(agent);
    await other.page.goto(`/approvals/${filed?.id ?? ''}`);
    await other.page.getByRole('button', { name: 'Reject…' }).click();
    await other.page.getByLabel('Why not?').fill('She is on leave until Monday.');
    await approveIn(page);
    await other.page.getByText(/^Decided by Ada Administrator/).waitFor();
    const unsent = other.page.getByRole('alert').filter({ hasText: 'Your reason was not sent' });
    await unsent.getByText('She is on leave until Monday.').waitFor();
    await unsent.getByRole('button', { name: 'Put it away' }).click();
    await unsent.waitFor({ state: 'detached' });
    expect([...session.faults.found, ...other.faults.found]).toEqual([]);
  });

  it('approves with changes: the difference is shown, and the receipt has both fingerprints', async () => {
    const page = await open();
    const filed = await agent.draft('Your order', 'It leaves tomorow.');
    await said(page, 'It leaves tomorow.').waitFor();
    await page.getByText('A draft is made; nothing is sent.').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Text' }).fill('It leaves tomorrow.');
    const changes = page.getByRole('group', { name: 'Your changes' });
    await changes.getByText('tomorrow').waitFor();
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByText('0 waiting').waitFor();
    await page.goto(`/approvals/${filed.id}`);
    await page.getByText('Changed before it was approved').waitFor();
    await page.getByRole('button', { name: 'Show the receipt' }).click();
    const claims = await page.getByLabel('What the receipt says').textContent();
    expect(JSON.parse(claims ?? '')).toMatchObject({ filedPayloadHash: filed.payloadHash });
    expect(claims).toContain('"payloadHash"');
    expect(session.faults.found).toEqual([]);
  });

  it('decides about several at once, with the outcome of each', async () => {
    const page = await open('One', 'Two', 'Three');
    await page.getByText('3 waiting').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Approve 3…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Approve 3' }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().waitFor();
    await expectCount(dialog.getByText(/^(executed|executing|approved)$/), 3);
    expect(session.faults.found).toEqual([]);
  });

  it('leaves the next request undecided when Approve is clicked twice', async () => {
    const page = await open('Clicked once', 'Clicked by mistake');
    await active(page);
    await page.evaluate(clicksEachApprove);
    await page.getByText('1 waiting').waitFor();
    await active(page);
    expect((await all(agent)).map(({ state }) => state).toSorted()).toEqual([
      'executed',
      'pending',
    ]);
    expect(session.faults.found).toEqual([]);
  });

  it.each(['2026-11-27T10:00:00 please pay at once', 'constructor', 'trash'])(
    'shows the comment “%s” as the text that it is',
    async (text) => {
      const page = await open(text);
      const shown = page.getByRole('group', { name: 'Comment' });
      await shown.waitFor();
      expect(await shown.textContent()).toBe(text);
      expect(session.faults.found).toEqual([]);
    },
  );

  it('shows what follows a frameset, what is left out, and the address of an image', async () => {
    const page = await open();
    const pixel = '<img alt="a" src="https://pixel.example/1">';
    await agent.draft('Hi', `<frameset><p>Pay</p><script>1</script><!--x-->${pixel}`);
    const shown = page.getByRole('group', { name: 'Text of the mail' });
    await shown.getByText('Pay').waitFor();
    const text = (await shown.textContent())?.replaceAll(/\s+/g, ' ');
    expect(text).toBe('Pay [script][comment][image: a <https://pixel.example/1>]');
    expect(session.faults.found).toEqual([]);
  });

  it('shows of an event what people would be asked to, without unfolding', async () => {
    const page = await open();
    const member = place.tenant.admin.email;
    const wishes = { kind: 'agent', approval: 'required', member, scopes: ['write:calendar'] };
    const planner = await place.key(wishes);
    const title = `Review ${randomUUID()}`;
    const startMs = Date.parse('2027-03-01T09:00:00Z');
    const filed = approvalOf(
      await planner.post(
        '/v1/calendar-events',
        {
          ...{ calendarId: await calendar(), title, startMs, endMs: startMs + 3_600_000 },
          ...{ conferenceLink: 'https://meet.example/room', description: 'Bring your badge.' },
          attendees: [{ email: 'zoe@outside.example' }],
          recurrence: { freq: 'weekly', count: 5, timeZone: 'Europe/Paris' },
        },
        randomUUID(),
      ),
    );
    await page.goto(`/approvals/${filed.id}?key=${planner.id}`);
    const request = page.getByRole('main').locator('dl').filter({ hasText: title });
    await request.waitFor();
    const shown = (await request.innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['meet.example/room', 'Bring your badge.', 'zoe@outside.example', 'WEEKLY'])
      expect(shown).toContain(part);
    expect(session.faults.found).toEqual([]);
  });

  it('shows the priority of a task, and its conversation by the subject', async () => {
    const page = await open();
    const wishes = { kind: 'agent', approval: 'required', member: place.tenant.admin.email };
    const scopes = ['read:conversations', 'write:tasks'];
    const planner = await place.keyFor(agent.mailbox, { ...wishes, scopes });
    const title = `Refund ${randomUUID()}`;
    const task = { title, priority: 'high', threadId: agent.conversationId };
    const filed = approvalOf(await planner.post('/v1/tasks', task, randomUUID()));
    // The conversation is looked for in each mailbox that the member reads.
    session.faults.expect(/^404 GET .*[/]conversations[/]/);
    await page.goto(`/approvals/${filed.id}?key=${planner.id}`);
    const request = page.getByRole('main').locator('dl').filter({ hasText: 'high' });
    await request.getByRole('link').waitFor();
    await page.getByRole('button', { name: 'Everything it says' }).click();
    await page.getByText('Idempotency-Key').waitFor();
    const shown = await page.getByRole('region', { name: 'Request' }).locator('dl').allInnerTexts();
    expect(shown.join()).not.toMatch(/cnv_|[{"]/);
    // It would be the first request that the next member to sign in is shown.
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Why not?' }).fill('Only a test.');
    await page.keyboard.press('Enter');
    await page.getByText('0 waiting').waitFor();
    expect(session.faults.found).toEqual([]);
  });

  it('shows the change of a draft beside its conversation, and its new text as a whole', async () => {
    const page = await open();
    const { mailbox, conversationId: threadId } = agent;
    const draft = { threadId, subject: 'Your order', body: 'We have sent nothing yet.' };
    const made = await place.settings.post('/v1/drafts', { mailbox, draft });
    const { id } = (JSON.parse(made.text) as { draft: { id: string } }).draft;
    const body = 'Your order leaves tomorrow.';
    const change = JSON.stringify({ mailbox, draft: { body } });
    await agent.api.request('PATCH', `/v1/drafts/${id}`, change, { 'Idempotency-Key': id });
    await page.getByText('A draft to nobody yet').waitFor();
    await page.getByRole('complementary', { name: 'The conversation' }).waitFor();
    await page.getByText('New text', { exact: true }).click();
    await said(page, body).waitFor();
    expect(session.faults.found).toEqual([]);
  });

  it('marks hidden characters, and bounds a text of a megabyte', async () => {
    const page = await open();
    await agent.draft('A photo', `See photo\u202Egnp.exe\u200b ${'long '.repeat(180_000)}`);
    const shown = page.getByRole('group', { name: 'Text of the mail' });
    await shown.getByText('U+202E').waitFor();
    await shown.getByText('U+200B').waitFor();
    expect(((await shown.textContent()) ?? '').length).toBeLessThan(5_000);
    await shown.getByRole('button', { name: 'Show all' }).click();
    await shown.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' });
    expect(session.faults.found).toEqual([]);
  });
});

const approveIn = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Approve', exact: true }).click();

/** A calendar of the administrator. */
async function calendar(): Promise<string> {
  const { text } = await place.settings.post('/v1/calendars', { name: 'Reviews' });
  return (JSON.parse(text) as { calendar: { id: string } }).calendar.id;
}

const inMailbox = (): string => `mailbox=${encodeURIComponent(agent.mailbox)}`;

/** The text of the request that is open; its line in the queue has it too. */
const said = (page: Page, text: string) =>
  page.getByRole('group', { name: /^(?:Comment|Text of the mail)$/ }).getByText(text);

/** A second click arrives as soon as the next request is there. */
const clicksEachApprove = `{
  const click = () => [...document.querySelectorAll('button')]
    .find(({ textContent }) => textContent === 'Approve')?.click();
  click();
  new MutationObserver(click).observe(document.body, { childList: true, subtree: true });
}`;

/** Waits until the request may be approved: it has been shown for long enough. */
async function active(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
}

async function all({ keyId }: AskingAgent) {
  const answer = await place.settings.get(`/approvals?key=${keyId}`);
  return (
    JSON.parse(answer.text) as { items: { id: string; state: string; comment: string | null }[] }
  ).items;
}

async function expectCount(found: ReturnType<Page['getByText']>, count: number): Promise<void> {
  await found.nth(count - 1).waitFor();
  expect(await found.count()).toBe(count);
}
