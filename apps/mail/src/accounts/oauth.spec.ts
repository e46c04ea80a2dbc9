import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  mailboxAccounts,
  mailboxConsents,
  mailboxes,
  type ConsentEnd,
  type ConsentPage,
  type MailboxList,
  type OAuthProviderName,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { freePort } from '@postroom/testing';
import { SMTPServer } from 'smtp-server';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { consent, endsIn, OAuthProvider } from '../testing/oauth-provider.js';
import { aMessage, newSendKey, Sendings } from '../testing/sending.js';
import { AccountLogins } from './index.js';

let provider: OAuthProvider;
/** The provider's own server, which takes tokens alone. */
let smtp: SMTPServer;
let smtpPort: number;
/** Its logins, and the senders and bytes of what it has taken. */
let logins: string[] = [];
let taken: string[] = [];
/** Tokens that it refuses, and whether it hangs up once it has a message. */
let refuses: (token: string) => boolean;
let isCut = false;
let service: MailService;
const caller = { ...anAdmin(), sessionId: 'ses_1' };
const { tenantId } = caller;

beforeAll(async () => {
  provider = await OAuthProvider.start();
  smtp = new SMTPServer({
    ...{ authMethods: ['XOAUTH2'], hideSTARTTLS: true, allowInsecureAuth: true },
    onAuth: ({ username = '', accessToken = '' }, _session, done) => {
      logins.push(accessToken);
      if (!refuses(accessToken)) return done(null, { user: username });
      return done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } });
    },
    onData: (stream, session, done) => {
      const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
      stream.resume().on('end', () => {
        taken.push(`${String(session.user)} ${from}`);
        if (!isCut) return done();
        for (const connection of smtp.connections) connection.close();
      });
    },
  });
  smtp.on('error', () => undefined);
  smtpPort = await freePort();
  await new Promise<void>((done) => smtp.listen(smtpPort, '127.0.0.1', done));
  service = await MailService.start({
    ...provider.env,
    // The tokens are asked for here alone.
    MAILBOXES_PER_PROCESS: '0',
    OAUTH_IMAP_URL: 'imaps://imap.provider.test',
    OAUTH_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
  });
});

afterAll(async () => {
  await service.close();
  await new Promise<void>((done) => smtp.close(done));
  await provider.close();
});

const authorize = (
  id: string,
  name: OAuthProviderName = 'other',
  as = caller,
): Promise<Answer<ConsentPage>> =>
  service.call(mailboxAccounts.authorize, { id, provider: name }, { caller: as });

const end = async (query: string, as = caller): Promise<ConsentEnd> =>
  (await service.call<ConsentEnd>(mailboxConsents.end, { query }, { caller: as })).body;

/** Consents at the provider. @returns the query that it leads back with */
async function consented(id: string): Promise<string> {
  const back = await consent(service, id, caller);
  expect(`${back.origin}${back.pathname}`).toBe(
    'https://postroom.test/settings/api/oauth/callback',
  );
  return back.search.slice(1);
}

async function connectedMailbox(): Promise<MailboxOf> {
  const mailbox = await service.mailbox({ tenantId });
  const { id } = mailbox;
  expect(await end(await consented(id))).toEqual({ outcome: 'connected', mailboxId: id });
  return mailbox;
}

const connected = async (): Promise<string> => (await connectedMailbox()).id;

const loginOf = (mailboxId: string, refused: string | null = null) =>
  service.service.get(AccountLogins).imap({ tenantId, mailboxId }, refused);

const accountOf = async (id: string) =>
  (await service.call<MailboxList>(mailboxes.list, {}, { caller })).body.items.find(
    (one) => one.id === id,
  );

describe('consent to an account', () => {
  it('connects the mailbox to the servers of the provider, and shows no token', async () => {
    const id = await connected();
    const login = await loginOf(id);
    const { address, imap, outgoing, account } = (await accountOf(id)) ?? {};
    expect({ imap, outgoing, account }).toEqual({
      imap: { host: 'imap.provider.test', port: 993, secure: true, user: address },
      outgoing: { host: '127.0.0.1', port: smtpPort, secure: false, user: address },
      account: {
        ...{ kind: 'oauth', provider: 'other', consentEnded: false },
        ...{ twoWay: false, sentCopy: 'auto', historyDays: 90 },
      },
    });
    expect(login).toMatchObject({ user: address, password: null, accessToken: expect.any(String) });
    const { rows } = await service.admin.query('SELECT * FROM mailbox_accounts, oauth_grants');
    expect(JSON.stringify(rows)).not.toContain(login.accessToken);
  });

  it('is taken once, in the session that asked, and for ten minutes', async () => {
    const { id } = await service.mailbox({ tenantId });
    const over = { outcome: 'over', mailboxId: null };
    const query = await consented(id);
    expect(await end(query, { ...caller, sessionId: 'ses_other' })).toEqual(over);
    expect(await end(query, { ...anAdmin(), sessionId: 'ses_1' })).toEqual(over);
    expect(await end('code=1&state=2')).toEqual(over);
    expect(await end(query)).toMatchObject({ outcome: 'connected' });
    expect(await end(query)).toEqual(over);
    const late = await consented(id);
    await service.admin.query('UPDATE oauth_grants SET expires_at = now()');
    expect(await end(late)).toEqual(over);
  });

  it.each([
    ['a person who says no', 'refused', () => undefined, 'error=access_denied'],
    [
      'a code that is refused',
      'refused',
      () => provider.nextAnswer(400, { error: 'invalid_grant' }),
      null,
    ],
    ['a token endpoint that fails', 'down', () => provider.nextAnswer(500, {}), null],
    [
      'consent that does not last',
      'refused',
      () => provider.nextAnswer(200, { access_token: 'a', token_type: 'Bearer' }),
      null,
    ],
  ])('%s is %s', async (_what, outcome, prepare, error) => {
    const { id } = await service.mailbox({ tenantId });
    const query = new URLSearchParams(await consented(id));
    prepare();
    const answer = error === null ? query.toString() : `${error}&state=${query.get('state')}`;
    expect(await end(answer)).toEqual({ outcome, mailboxId: id });
    expect((await accountOf(id))?.account).toBeNull();
  });

  it('refuses a provider that is not set up, and a mailbox of others', async () => {
    const { id } = await service.mailbox({ tenantId });
    expect((await authorize(id, 'google')).problem).toBe('OAUTH_NOT_SET_UP');
    expect((await authorize(id, 'other', { ...anAdmin(), sessionId: 'ses_1' })).problem).toBe(
      'MAILBOX_NOT_FOUND',
    );
  });
});

describe('an access token', () => {
  it('is refreshed before it ends, once for all that need it, and when the server refuses it', async () => {
    const id = await connected();
    const { accessToken: first } = await loginOf(id);
    await endsIn(service, id, 60_000);
    let asked = 0;
    const count = (): number => (asked += 1);
    provider.server.service.on('beforeResponse', count);
    const tokens = await Promise.all([loginOf(id), loginOf(id), loginOf(id)]);
    expect([asked, new Set(tokens.map((one) => one.accessToken)).size]).toEqual([1, 1]);
    await loginOf(id);
    expect(asked).toBe(1);
    await loginOf(id, tokens[0].accessToken);
    expect(asked).toBe(2);
    // One that others have replaced meanwhile.
    await loginOf(id, first);
    expect(asked).toBe(2);
    provider.server.service.off('beforeResponse', count);
  });

  it.each([
    [400, 'invalid_grant', 'consent_expired'],
    [400, 'invalid_client', 'token_endpoint_down'],
    [429, 'slow_down', 'token_endpoint_down'],
    [503, 'temporarily_unavailable', 'token_endpoint_down'],
  ])('that cannot be refreshed (%i %s) is %s', async (status, error, code) => {
    const id = await connected();
    await endsIn(service, id, -1);
    provider.nextAnswer(status, { error });
    await expect(loginOf(id)).rejects.toMatchObject({ code });
    const isOver = code === 'consent_expired';
    expect((await accountOf(id))?.account?.consentEnded).toBe(isOver);
    // Nobody is asked again after the end, and anybody after a failure.
    if (isOver) await expect(loginOf(id)).rejects.toMatchObject({ code });
    else await expect(loginOf(id)).resolves.toMatchObject({ accessToken: expect.any(String) });
    if (isOver) expect(await end(await consented(id))).toMatchObject({ outcome: 'connected' });
  });

  it('that does not come in time is told apart', async () => {
    const id = await connected();
    await endsIn(service, id, -1);
    // The provider takes the request, and never answers.
    provider.server.service.once(
      'beforeResponse',
      (_answer: unknown, { socket }: IncomingMessage) => {
        socket.write = () => true;
      },
    );
    await expect(loginOf(id)).rejects.toMatchObject({ code: 'token_endpoint_slow' });
    expect((await accountOf(id))?.account?.consentEnded).toBe(false);
  });

  it('stays in use while a provider that fails has not let it end', async () => {
    const id = await connected();
    const { accessToken } = await loginOf(id);
    await endsIn(service, id, 120_000);
    provider.nextAnswer(500, {});
    expect(await loginOf(id)).toMatchObject({ accessToken });
  });
});

describe('a message of such a mailbox', () => {
  let sendings: Sendings;
  let mailbox: MailboxOf;

  beforeEach(async () => {
    sendings = new Sendings(service);
    mailbox = await connectedMailbox();
    [logins, taken, isCut] = [[], [], false];
    refuses = () => false;
  });

  const send = (idempotencyKey: string, given: ReturnType<typeof aMessage>) =>
    sendings.create(mailbox, given, { idempotencyKey });

  it.each([
    ['that lasts', () => undefined, 1],
    ['that has ended', () => endsIn(service, mailbox.id, -1), 1],
    [
      'that the server refuses, once it is refreshed',
      () => {
        refuses = (token) => token === logins[0];
      },
      2,
    ],
  ])('leaves with a token %s, once', async (what, prepare, tries) => {
    const before = (await loginOf(mailbox.id)).accessToken;
    await Promise.resolve(prepare());
    const [key, given] = [newSendKey(), aMessage()];
    const { status, body } = await send(key, given);
    expect([status, body.receiptSource]).toEqual([200, 'smtp']);
    expect(await send(key, given)).toMatchObject({ status: 200, body: { id: body.id } });
    expect(taken).toEqual([`${mailbox.address} ${mailbox.address}`]);
    expect(new Set(logins).size).toBe(tries);
    expect(logins[0] === before).toBe(what !== 'that has ended');
  });

  it('is not sent again when the answer to it was lost', async () => {
    isCut = true;
    const [key, given] = [newSendKey(), aMessage()];
    expect((await send(key, given)).problem).toBe('SEND_OUTCOME_UNKNOWN');
    isCut = false;
    expect(await send(key, given)).toMatchObject({
      status: 409,
      body: { fields: { outcomeUnknown: true } },
    });
    expect(taken).toHaveLength(1);
  });

  it('does not leave once the consent has ended', async () => {
    await endsIn(service, mailbox.id, -1);
    provider.nextAnswer(400, { error: 'invalid_grant' });
    expect((await send(newSendKey(), aMessage())).status).toBe(503);
    expect([logins, taken]).toEqual([[], []]);
  });
});
