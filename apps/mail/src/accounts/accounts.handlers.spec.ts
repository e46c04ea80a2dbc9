import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mailboxAccounts,
  mailboxes,
  mailSettings,
  newId,
  type FoundMailSettings,
  type MailboxAnswer,
  type SetMailboxAccount,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type Answer } from '../testing/mail-service.js';
import { AccountLogins } from './index.js';
import { readAutoconfig } from './autoconfig.js';
import { providerOfExchanger } from './mail-providers.js';

let service: MailService;
const caller = anAdmin();

beforeAll(async () => {
  // Nobody answers there, so that what is not in our list is not found.
  service = await MailService.start({
    ...{ OUTBOUND_DNS_SERVERS: '127.0.0.1:9', MAILBOXES_PER_PROCESS: '0' },
  });
});

afterAll(() => service.close());

const server = (host: string) => ({ host, port: 993, secure: true, user: 'ada' });
const imap = { ...server('imap.acme.test'), password: 'a password' };
const outgoing = { ...server('smtp.acme.test'), port: 465, password: 'another' };
const servers = {
  imap: server('imap.acme.test'),
  outgoing: { ...server('smtp.acme.test'), port: 465 },
};

type Given = Partial<SetMailboxAccount>;
const set = (id: string, given: Given, as = caller): Promise<Answer<MailboxAnswer>> =>
  service.call(mailboxAccounts.set, { id, ...given }, { caller: as });
const remove = (id: string, given: Given = {}, as = caller): Promise<Answer<MailboxAnswer>> =>
  service.call(mailboxAccounts.remove, { id, ...given }, { caller: as });

const outside = async () => {
  const address = `${newId('mbx').toLowerCase()}@outside.test`;
  const input = { address, automation: true, access: 'workspace' as const, ...servers };
  return (await service.call<MailboxAnswer>(mailboxes.create, input, { caller })).body.mailbox;
};

describe('the account of a mailbox', () => {
  it('is set and changed, and its secrets are never shown', async () => {
    const { id, version, account } = await outside();
    expect(account).toBeNull();
    const made = await set(id, { imap, outgoing, twoWay: true, ifMatch: version });
    expect(made.body.mailbox).toMatchObject({
      ...servers,
      account: { kind: 'password', provider: null, twoWay: true, sentCopy: 'auto' },
    });
    expect(made.text).not.toMatch(/a password|another/);
    const changed = await set(id, { sentCopy: 'never' });
    expect(changed.body.mailbox).toMatchObject({
      ...servers,
      account: { twoWay: true, sentCopy: 'never' },
      version: made.body.mailbox.version + 1,
    });
    expect((await set(id, { imap, ifMatch: version })).problem).toBe('VERSION_CONFLICT');
  });

  it('refuses a server without a secret, one inside, and a mailbox of others', async () => {
    const { id } = await outside();
    expect((await set(id, { imap: servers.imap })).problem).toBe('INVALID_REQUEST');
    expect((await set(id, { imap: { ...imap, host: '10.0.0.1' } })).problem).toBe(
      'INVALID_REQUEST',
    );
    expect((await set(id, { imap }, anAdmin())).problem).toBe('MAILBOX_NOT_FOUND');
    expect((await remove(id, {}, anAdmin())).problem).toBe('MAILBOX_NOT_FOUND');
  });

  it('is refused where another mailbox reads it, once that was let in', async () => {
    const login = { ...imap, user: 'Shared' };
    const { id } = await outside();
    expect((await set(id, { imap: login })).problem).toBeNull();
    const other = anAdmin();
    const beside = await service.mailbox({ tenantId: other.tenantId });
    expect((await set(beside.id, { imap: login }, other)).problem).toBeNull();
    await remove(beside.id, {}, other);
    const letIn = (box: string): Promise<unknown> =>
      service.admin.query(
        `INSERT INTO remote_folders (tenant_id, mailbox_id, folder, path, delimiter, role, uid_validity)
         SELECT tenant_id, mailbox_id, 1, 'INBOX', '/', 'inbox', 1 FROM mailbox_syncs WHERE mailbox_id = $1`,
        [box],
      );
    await letIn(id);
    const spelled = { imap: { ...login, host: 'IMAP.acme.test', user: 'shared' } };
    expect((await set(beside.id, spelled, other)).problem).toBe('ACCOUNT_CONNECTED');
    const again = {
      address: 'second@outside.test',
      automation: true,
      access: 'workspace' as const,
    };
    const made = await service.call(mailboxes.create, { ...again, ...spelled }, { caller });
    expect(made.problem).toBe('ACCOUNT_CONNECTED');
    expect((await set(id, { imap: { ...login, password: 'new' } })).problem).toBeNull();
    // Both were let in at the same time: one reads on.
    await service.admin.query('UPDATE remote_folders SET uid_validity = 0');
    expect((await set(beside.id, spelled, other)).problem).toBeNull();
    await letIn(beside.id);
    await service.admin.query('UPDATE remote_folders SET uid_validity = 1');
    const logins = service.service.get(AccountLogins);
    // That of `outside` was made first.
    const first = { tenantId: caller.tenantId, mailboxId: id };
    const second = { tenantId: other.tenantId, mailboxId: beside.id };
    expect(await logins.imap(first)).toMatchObject({ port: 993 });
    await expect(logins.imap(second)).rejects.toMatchObject({ code: 'connected_elsewhere' });
  });

  it('is removed with its secrets; only a mailbox that has no others keeps the names of its servers', async () => {
    const { id } = await outside();
    await set(id, { imap, outgoing });
    expect((await remove(id, { ifMatch: 0 })).problem).toBe('VERSION_CONFLICT');
    expect((await remove(id)).body.mailbox).toMatchObject({ ...servers, account: null });
    const { rows } = await service.admin.query(
      'SELECT imap, outgoing FROM mailboxes WHERE id = $1',
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain('"sealedPassword":"');
    const ours = await service.mailbox({ tenantId: caller.tenantId });
    await set(ours.id, { imap, outgoing });
    const { body } = await remove(ours.id);
    expect(body.mailbox).toMatchObject({ imap: null, outgoing: null, account: null });
  });
});

const file = (incoming: string, more = ''): string =>
  `<?xml version="1.0"?>${more}<clientConfig><emailProvider id="a.test">
   <incomingServer type="imap">${incoming}</incomingServer>
   <outgoingServer type="smtp"><hostname>smtp.a.test</hostname><port>587</port>
     <socketType>STARTTLS</socketType></outgoingServer></emailProvider></clientConfig>`;
const incoming = (host: string, port: number | string, socket = 'SSL', more = ''): string =>
  `<hostname>${host}</hostname><port>${port}</port><socketType>${socket}</socketType>${more}`;

describe('the settings of an address', () => {
  it.each([
    ['ada@gmail.com', { source: 'provider', provider: 'Google', signIn: 'oauth', oauth: null }],
    ['ada@ICLOUD.com', { source: 'provider', provider: 'Apple iCloud', signIn: 'app_password' }],
    ['ada@nowhere.test', { source: null, imap: null, outgoing: null, signIn: 'password' }],
  ])('of %s are found in our list, or not', async (address, expected) => {
    const input = { address };
    const found = await service.call<FoundMailSettings>(mailSettings.find, input, { caller });
    expect(found.body).toMatchObject(expected);
  });

  it('are those of the provider that the mail of a domain goes to', () => {
    expect(providerOfExchanger('acme-test.mail.protection.outlook.com')?.name).toBe(
      'Microsoft 365',
    );
    expect(providerOfExchanger('aspmx.l.google.com')?.name).toBe('Google');
    expect(providerOfExchanger('notgoogle.com')).toBeNull();
  });

  it('are read from the file of a domain', () => {
    const login = '<username>%EMAILLOCALPART%</username><authentication>OAuth2</authentication>';
    expect(readAutoconfig(file(incoming('IMAP.a.test', 993, 'SSL', login)), 'ada@a.test')).toEqual({
      imap: { host: 'imap.a.test', port: 993, secure: true },
      outgoing: { host: 'smtp.a.test', port: 587, secure: false },
      ...{ user: 'ada', signIn: 'oauth' },
    });
  });

  it.each([
    ['a port that is none of mail', incoming('imap.a.test', 22)],
    ['no TLS', incoming('imap.a.test', 143, 'plain')],
    ['a host that is none', incoming('169.254.169.254/latest', 993)],
    ['a host with a way in', incoming('user@imap.a.test', 993)],
    ['an entity', incoming('&host;', 993), '<!DOCTYPE a [<!ENTITY host "imap.a.test">]>'],
    [
      'a file within',
      incoming('&x;', 993),
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    ],
    ['another tag', '<b>'.repeat(50_000)],
    ['nothing', ''],
  ])('are not read from a hostile file: %s', (_what, text, more = '') => {
    expect(readAutoconfig(file(text, more), 'ada@a.test')).toBeNull();
  });
});
