// tags: console
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Product, tenantOf } from '../product.js';
import { Workplace } from '../workplace.js';
import { accessibilityFaults, openBrowser, type Session, signedIn } from './browser.js';
import { askingAgent, askingAssistant } from './requests.js';
import { screens } from './screens.js';

const folder = fileURLToPath(new URL('../../dist/screenshots/', import.meta.url));
const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { look: 'narrow', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

let browser: Browser;
let product: Product;
/** A conversation of HTML with a file, and its mailbox, as the address names them. */
let conversation: string;
let consent: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const place = await Workplace.open('acme');
  product = place.product;
  const mailbox = await place.mailbox();
  const { id } = await place.receive(await place.keyFor(mailbox), mailbox, {
    ...{ subject: 'The plan of our stand', html },
    attachments: [{ filename: 'plan.txt', content: 'The plan of it.' }],
  });
  conversation = `${id}?in=${encodeURIComponent(mailbox)}`;
  const to = [{ email: 'camille@correspondent.example', name: 'Camille Martin' }];
  const draft = { to, subject: 'Our stand', body: '<p>Thank you for the plan.</p>' };
  const begun = await place.settings.post('/v1/drafts', { mailbox, draft });
  const { id: draftId } = (JSON.parse(begun.text) as { draft: { id: string } }).draft;
  await place.settings.post(`/v1/drafts/${draftId}/send`, { mailbox });
  await place.settings.post('/members', { email: `${randomUUID()}@acme.test`, name: 'Ines New' });
  // Two agents of one name: their cards may not be landmarks of one name.
  for (const text of ['The plan is on its way.', 'The plan has come.'])
    await (await askingAgent(place, 'Filing agent')).comment(text);
  consent = (await askingAssistant(product, 'Claude')).path;
  browser = await openBrowser();
});

/** A mail as shops write it, on white. */
const html = `<table style="background:#fff;color:#222;width:100%"><tr><td style="padding:16px">
<h2 style="color:#0a5">Your stand in Lyon</h2><p>Hello, the <b>plan</b> is attached. Please answer
until Friday.</p><p><a href="https://fair.example/stand">See your stand</a></p></td></tr></table>`;

afterAll(() => browser.close());

describe.each(looks)('every screen, $look', ({ look, ...options }) => {
  let session: Session;

  beforeAll(async () => {
    session = await signedIn(browser, product, tenantOf(product, 'acme').admin, options);
  });

  afterAll(() => session.context.close());

  it.each(screens)('$name is photographed, and accessible', async ({ name, path, ready }) => {
    const { page, faults } = session;
    await page.goto(path.replace(':conversation', conversation).replace(':consent', consent));
    await ready(page);
    await page.screenshot({ path: `${folder}${name}.${look}.png` });
    expect(await accessibilityFaults(page)).toEqual([]);
    // Nothing is wider than the window.
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(faults.found).toEqual([]);
  });
});
