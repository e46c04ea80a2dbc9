import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { officialPackages } from '../mcp-clients/official-packages.js';
import type { Person, Product } from '../product.js';

/** The packages that only this suite needs. */
const packages = createRequire(join(officialPackages('browser'), 'package.json'));

interface ChromiumPackage {
  readonly default: { executablePath(): Promise<string> };
}

/** Chromium, headless. Of the package's own options, one switches web security off, and one ends the browser with a page. */
export async function openBrowser(): Promise<Browser> {
  const { default: packed } = (await import(
    packages.resolve('@sparticuz/chromium')
  )) as ChromiumPackage;
  return chromium.launch({ executablePath: await packed.executablePath(), args: ['--no-sandbox'] });
}

/**
 * Ends what a test has opened: a page that is left open asks on, and holds one of the ten streams of its member. A request
 * that a route is still answering breaks off with its page, which is no fault of the next test.
 */
export const closePages = (browser: Browser): Promise<unknown> =>
  Promise.all(
    browser.contexts().map(async (context) => {
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }),
  );

export const axeSource = (): string =>
  readFileSync(packages.resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of the page's policy, errors, lines of them in the console, and failed requests. */
export interface Faults {
  readonly found: string[];
  /** Faults that a test causes itself, as an answer of 409 or a lost connection. */
  expect(pattern: RegExp): void;
}

export interface Session {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: Faults;
}

export interface SessionOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A browser of somebody who is not signed in. */
export async function openPage(
  browser: Browser,
  product: Product,
  { colorScheme = 'light', viewport = { width: 1440, height: 900 } }: SessionOptions = {},
): Promise<Session> {
  const context = await browser.newContext({
    ...{ baseURL: new URL(product.settingsUrl).origin, colorScheme, viewport },
    ...{ locale: 'en-GB', timezoneId: 'Europe/Paris', reducedMotion: 'reduce' },
  });
  const page = await context.newPage();
  return { page, context, faults: await faultsOf(page) };
}

/** A browser in which a member is signed in. */
export async function signedIn(
  browser: Browser,
  product: Product,
  member: Person,
  options?: SessionOptions,
): Promise<Session> {
  const session = await openPage(browser, product, options);
  await signIn(session.page, member);
  return session;
}

/** Signs in by the form, from whatever page asks for it. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in?next=%2Fapprovals');
  await page.getByLabel('Email address', { exact: true }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
}

/** The moment at which a text is in the document, epoch milliseconds, noted by the page itself. */
export const seenAt = (page: Page, text: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => document.body.textContent.includes(${JSON.stringify(text)}) && resolve(Date.now());
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  })`);

async function faultsOf(page: Page): Promise<Faults> {
  const found: string[] = [];
  const expected: RegExp[] = [];
  const add = (fault: string): void => {
    if (!expected.some((pattern) => pattern.test(fault))) found.push(fault);
  };
  await page.exposeFunction('toldViolation', (text: string) => add(`policy: ${text}`));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    toldViolation(event.violatedDirective + ' ' + event.blockedURI))`);
  page.on('pageerror', (error) => add(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser writes a line of its own for each answer of 400 and more, which is counted below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      add(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400)
      add(
        `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`,
      );
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself ends what it no longer needs.
    if (reason !== 'net::ERR_ABORTED') add(`${reason} ${new URL(request.url()).pathname}`);
  });
  return { found, expect: (pattern) => expected.push(pattern) };
}

/** The findings of axe-core against WCAG 2.2 A and AA, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource());
  const { violations }: AxeResults = await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(rules)} } })`,
  );
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
