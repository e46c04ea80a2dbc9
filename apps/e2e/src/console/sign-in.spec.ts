// tags: console
import type { Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '@postroom/testing';
import Provider from 'oidc-provider';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { type Product, sharedProduct, tenantOf } from '../product.js';
import type { SettingsApi } from '../settings-api.js';
import { closePages, openBrowser, openPage, type Session, signedIn } from './browser.js';
import { addMember, adminOf, type OwnMember } from './people.js';

let browser: Browser;
let product: Product;

beforeAll(async () => {
  product = await sharedProduct();
  browser = await openBrowser();
});

afterEach(() => closePages(browser));
afterAll(() => browser.close());

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

/** The name of the loopback address: a passkey is of a name. */
const named = ({ settingsUrl }: Product): Product => {
  const url = new URL(settingsUrl);
  url.hostname = 'localhost';
  return { ...product, settingsUrl: url.href };
};

/** @returns a switch: without a finger on it, the authenticator answers nothing */
async function withAuthenticator({ context, page }: Session) {
  const client = await context.newCDPSession(page);
  await client.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return (enabled: boolean) =>
    client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
}

async function keepRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await dialog.getByRole('listitem').first().waitFor();
  const codes = await dialog.getByRole('listitem').allInnerTexts();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await dialog.waitFor({ state: 'detached' });
  return codes;
}

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByText('@acme.test').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, 'Sign in');
};

async function giveCredentials(page: Page, { email, password }: OwnMember): Promise<void> {
  await page.getByLabel('Email address', { exact: true }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe('the way into the console', () => {
  it('leads from the first page to the sign-in and back', async () => {
    const { page, faults } = await openPage(browser, product);
    await page.goto('/tasks');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    const { admin } = tenantOf(product, 'acme');
    await giveCredentials(page, { ...admin, id: '', name: '' });
    await heading(page, 'Tasks');
    expect(faults.found).toEqual([]);
  });

  it('leads from an invitation to the first page', async () => {
    const { page, faults } = await openPage(browser, product);
    const email = `invited-${Date.now()}@acme.test`;
    const made = await (await adminOf(product)).post('/members', { email, name: 'Ivo Invited' });
    const { invitationUrl } = JSON.parse(made.text) as { readonly invitationUrl: string };
    await page.goto(invitationUrl);
    await page.getByLabel('New password').fill('a password of some length');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Ivo Invited').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('asks for a link to a new password without saying whose address it is', async () => {
    const { page, faults } = await openPage(browser, product);
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await page.getByLabel('Email address').fill('nobody@acme.test');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await heading(page, 'Look at your mail');
    expect(faults.found).toEqual([]);
  });

  it('takes a passkey that the member has made in its account, alone and as a proof', async () => {
    const member = await addMember(product);
    const session = await signedIn(browser, named(product), member);
    const { page, faults } = session;
    const touch = await withAuthenticator(session);
    await page.goto('/me');
    await page.getByLabel('Name of the passkey').fill('Test bench');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    expect(await keepRecoveryCodes(page)).toHaveLength(10);
    await page.getByRole('list', { name: 'Passkeys' }).getByText('Test bench').waitFor();
    await touch(false);
    await signOut(page);
    await touch(true);
    // The authenticator answers the offer in the field by itself, perhaps before the click.
    await Promise.race([
      page
        .getByRole('button', { name: 'Use a passkey' })
        .click()
        .catch(() => undefined),
      page.getByRole('navigation', { name: 'Main' }).waitFor(),
    ]);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('sets a code application up, and asks for its code at the next sign-in', async () => {
    const member = await addMember(product);
    const { page, faults } = await signedIn(browser, product, member);
    await page.goto('/me');
    await page.getByRole('button', { name: 'Set up a code application' }).click();
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    const section = page.getByRole('region', { name: 'Code application' });
    const secret = (await section.locator('code').innerText()).replaceAll(' ', '');
    const application = new TOTP({ secret: Secret.fromBase32(secret) });
    await section.getByRole('textbox', { name: 'Code' }).fill(application.generate());
    await section.getByRole('button', { name: 'Confirm' }).click();
    const [recoveryCode = ''] = await keepRecoveryCodes(page);
    await signOut(page);
    await giveCredentials(page, member);
    await heading(page, 'Second step');
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(faults.found).toEqual([]);
  });
});

const client = { clientId: 'postroom', clientSecret: 'a secret of the client' };

/** A provider at which anybody signs in as one person. */
function providerOf(issuer: string, email: string, redirectUri: string): Server {
  // It warns that nobody should run it so.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockReturnValue(undefined);
  const { clientId: client_id, clientSecret: client_secret } = client;
  const provider = new Provider(issuer, {
    clients: [{ client_id, client_secret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['a key of cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email, email_verified: true }),
    }),
  });
  return provider.listen(Number(new URL(issuer).port), '127.0.0.1');
}

describe('the provider of a workspace', () => {
  let admin: SettingsApi;
  let server: Server | undefined;

  beforeAll(async () => {
    admin = await adminOf(product, 'globex');
  });

  afterAll(async () => {
    await admin.put('/sign-in', { issuer: null, clientId: null });
    server?.closeAllConnections();
    server?.close();
  });

  it('is found by the address of a member, and signs the member in', async () => {
    const member = await addMember(product, { workspace: 'globex' });
    const callback = new URL('/settings/api/oidc/callback', product.settingsUrl).href;
    const issuer = `http://127.0.0.1:${await freePort()}`;
    server = providerOf(issuer, member.email, callback);
    const set = await admin.put('/sign-in', { issuer, ...client, domains: ['globex.test'] });
    expect(set.status).toBe(200);
    const { page, faults } = await openPage(browser, product);
    // The provider's own page asks for a font.
    faults.expect(/^net::ERR_NAME_NOT_RESOLVED \/css$/);
    await page.goto('/sign-in?next=%2Ftasks');
    await page.getByText('Sign in with your provider').click();
    await page.getByLabel('Your email address').fill(member.email);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('link', { name: 'Sign in with your provider' }).click();
    await page.getByPlaceholder('Enter any login').fill('robin');
    await page.getByPlaceholder('and password').fill('anything');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Tasks');
    await page.getByRole('navigation', { name: 'Main' }).getByText(member.email).waitFor();
    expect(faults.found).toEqual([]);
  });
});

describe('a session under an open page', () => {
  it('asks for a proof before a change of the sign-in, and the change goes on', async () => {
    const member = await addMember(product);
    const { page, faults } = await signedIn(browser, product, member);
    faults.expect(/^403 POST .*\/me\/totp$/);
    await page.goto('/me');
    // The proof of the sign-in holds for 15 minutes; this is the refusal after that.
    const refusal = { error: 'STEP_UP_REQUIRED', message: 'Prove who you are first.' };
    await page.route('**/me/totp', (route) => route.fulfill({ status: 403, json: refusal }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Set up a code application' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(member.password);
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    expect(faults.found).toEqual([]);
  });

  it('that has ended is renewed over the page: what was typed is there, and is saved', async () => {
    const member = await addMember(product);
    const { page, context, faults } = await signedIn(browser, product, member);
    faults.expect(/^401 /);
    await page.goto('/me');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Robin Renamed');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill('wrong, and long enough');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByText('Wrong email address or password.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(member.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Main' }).getByText('Robin Renamed').waitFor();
    expect(faults.found).toEqual([]);
  });

  it('that another member takes over in another tab stops the page until its own is back', async () => {
    const [member, other] = [await addMember(product), await addMember(product, { name: 'Olga' })];
    const { page, context, faults } = await signedIn(browser, product, member);
    await page.goto('/me');
    await heading(page, 'Your account');
    const second = await context.newPage();
    await context.clearCookies();
    await second.goto('/sign-in?next=%2Fme');
    await giveCredentials(second, other);
    await heading(second, 'Your account');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByText('Olga is signed in now').waitFor();
    await second.close();
    await dialog.getByLabel('Password', { exact: true }).fill(member.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    faults.expect(/^401 /);
    expect(faults.found.filter((fault) => !fault.startsWith('401 '))).toEqual([]);
  });
});
