import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountTests,
  mailboxAccounts,
  type AccountTest,
  type TestMailboxAccount,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { Dovecot, dovecot, freePort, whereThere } from '@postroom/testing';
import { SMTPServer } from 'smtp-server';
import { MailService, type Answer } from '../testing/mail-service.js';

let service: MailService;
let imapServer: Dovecot;
let smtp: SMTPServer;
let scripted: Server;
let logins = 0;
const sockets = new Set<Socket>();
const caller = anAdmin();

const portOf = (server: { address(): AddressInfo | string | null }): number =>
  (server.address() as AddressInfo).port;

/** A server that repeats the password, with markup, and says far too much. */
const echo = (socket: Socket): void => {
  sockets.add(socket.on('error', () => undefined));
  socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n');
  socket.on('data', (data) => {
    const [tag = '*', command = ''] = data.toString().split(' ');
    const noise = `<b>${data.toString().trim().split('"').join('')}</b>\u0007${'x'.repeat(5_000)}`;
    socket.write(
      command === 'CAPABILITY'
        ? `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`
        : `${tag} NO [AUTHENTICATIONFAILED] ${noise}\r\n`,
    );
  });
};

whereThere(dovecot, describe)('the test of an account', () => {
  beforeAll(async () => {
    imapServer = await Dovecot.start();
    smtp = new SMTPServer({
      ...{ hideSTARTTLS: true, authOptional: true, allowInsecureAuth: true },
      onAuth: ({ password }, _session, done) => {
        logins += 1;
        done(password === 'secret' ? null : new Error('no'), { user: 'ada' });
      },
    });
    smtp.on('error', () => undefined);
    scripted = createServer(echo);
    await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done));
    await new Promise<void>((done) => scripted.listen(0, '127.0.0.1', done));
    // The specs of the owner are elsewhere; nobody answers for names here.
    service = await MailService.start({
      ...{ MAILBOXES_PER_PROCESS: '0', OUTBOUND_DNS_SERVERS: '127.0.0.1:9' },
    });
  });

  afterAll(async () => {
    await service.close();
    await imapServer.close();
    for (const socket of sockets) socket.destroy();
    scripted.close();
    await new Promise<void>((done) => smtp.close(done));
  });

  const imap = (given = {}) => ({
    ...{ host: '127.0.0.1', port: imapServer.port, secure: false, user: 'ada' },
    ...{ password: 'secret', ...given },
  });
  const outgoing = (given = {}) => imap({ port: portOf(smtp.server), ...given });
  const test = (
    id: string,
    given: Omit<TestMailboxAccount, 'id'> = {},
    as = caller,
  ): Promise<Answer<AccountTest>> =>
    service.call(accountTests.run, { id, ...given }, { caller: as });
  const aMailbox = async () => (await service.mailbox({ tenantId: caller.tenantId })).id;
  const outcomes = ({ body }: Answer<AccountTest>): string[] =>
    body.steps.map(({ server, step, outcome }) => `${server} ${step} ${outcome}`);

  it('goes from the connection to the inbox, tells of no secret, and changes nothing', async () => {
    const id = await aMailbox();
    await imapServer.deliver('ada', 'Subject: one\r\n\r\nHello\r\n');
    const answer = await test(id, { imap: imap(), outgoing: outgoing() });
    expect([answer.body.ok, outcomes(answer)]).toEqual([
      true,
      [
        ...['imap connect ok', 'imap tls ok', 'imap login ok', 'imap inbox ok'],
        ...['outgoing connect ok', 'outgoing tls ok', 'outgoing login ok'],
      ],
    ]);
    expect(answer.body.steps[3]?.said).toBe(
      '1 message; other folders of use: Sent, Archive, Junk, Trash',
    );
    expect(answer.text).not.toContain('secret');
    expect((await test(id)).problem).toBe('MAILBOX_WITHOUT_ACCOUNT');
    // The account that is kept is tried by itself, with its passwords.
    await service.call(mailboxAccounts.set, { id, imap: imap(), outgoing: outgoing() }, { caller });
    expect((await test(id)).body.ok).toBe(true);
    const { password: _, ...kept } = outgoing();
    expect(outcomes(await test(id, { outgoing: kept }))).toHaveLength(3);
  });

  it('is of one’s own mailboxes, and needs a secret', async () => {
    const id = await aMailbox();
    expect((await test(id, { imap: imap() }, anAdmin())).problem).toBe('MAILBOX_NOT_FOUND');
    const without = { imap: imap({ password: null }) };
    expect((await test(id, without)).problem).toBe('INVALID_REQUEST');
  });

  type Failing = readonly [string, () => Promise<object> | object, string, string];
  const failing: readonly Failing[] = [
    ['an address inside', () => ({ host: '10.0.0.1', port: 993 }), 'connect', 'target_refused'],
    ['a name unknown', () => ({ host: 'imap.acme.test' }), 'connect', 'name_not_found'],
    ['nobody there', async () => ({ port: await freePort() }), 'connect', 'unreachable'],
    ['TLS at a plain port', () => ({ secure: true }), 'tls', 'tls_failed'],
    ['a wrong password', () => ({ password: 'wrong' }), 'login', 'wrong_password'],
  ];

  it.each(
    failing.flatMap(([what, given, step, code]) => [
      ['imap', what, given, step, code] as const,
      ['outgoing', what, given, step, code] as const,
    ]),
  )('tells of %s with %s', async (which, _what, given, step, code) => {
    const server = which === 'imap' ? imap(await given()) : outgoing(await given());
    const { body } = await test(await aMailbox(), { [which]: server });
    const failed = body.steps.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toEqual([expect.objectContaining({ step, code, advice: expect.any(String) })]);
    const later = body.steps.slice(body.steps.findIndex((one) => one.step === step) + 1);
    expect(later.every(({ outcome }) => outcome === 'skipped')).toBe(true);
  });

  it('tries a refused password three times an hour, by whichever way', async () => {
    const id = await aMailbox();
    const given = { outgoing: outgoing({ user: 'locked', password: 'wrong' }) };
    logins = 0;
    for (let tries = 0; tries < 3; tries += 1) await test(id, given);
    const { body } = await test(id, given);
    expect([logins, body.steps.map(({ code }) => code)]).toEqual([
      3,
      [null, null, 'tried_too_often'],
    ]);
  });

  it('repeats 200 characters of a server at most, as plain text and without the password', async () => {
    const server = imap({ port: portOf(scripted), password: 'a-password-of-mine' });
    const { body, text } = await test(await aMailbox(), { imap: server });
    const said = body.steps[2]?.said ?? '';
    expect([body.steps[2]?.code, said.length <= 200]).toEqual(['wrong_password', true]);
    expect(said).toMatch(/^[ -~…]+$/);
    expect(text).not.toContain('a-password-of-mine');
  });
});
