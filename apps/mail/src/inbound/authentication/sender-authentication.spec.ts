import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { MessageAuth } from '@postroom/contracts';
import { createLog, loadConfig } from '@postroom/service';
import { longestTurn, type NameServer } from '@postroom/testing';
import { MailConfig } from '../../config.js';
import { aSigningDomain, mailBytes, namesOf } from '../../testing/name-records.js';
import { trustOf } from '../../trust.js';
import { SenderAuthentication, type Origin } from './sender-authentication.js';

const log = createLog({ level: 'silent', format: 'json' });
const bank = aSigningDomain('bank.example');
const shop = aSigningDomain('shop.example');
const stranger = aSigningDomain('stranger.example');
const weak = aSigningDomain('weak.example');
const texts = {
  ...bank.record,
  ...shop.record,
  ...stranger.record,
  's1._domainkey.weak.example': ['v=DKIM1; k=rsa; p=AAAA'],
  'bank.example': ['v=spf1 ip4:192.0.2.0/24 -all'],
  '_dmarc.bank.example': ['v=DMARC1; p=reject'],
  'shop.example': ['v=spf1 include:loop.example ~all'],
  'soft.example': ['v=spf1 ip4:192.0.2.7 ~all'],
  'neutral.example': ['v=spf1 ?all'],
  'loop.example': ['v=spf1 include:loop.example -all'],
  'broken.example': ['v=spf1 nonsense:x -all'],
  'by-address.example': ['v=spf1 a -all'],
};
const addresses = { 'by-address.example': ['192.0.2.9'] };
const loopback = { clientAddress: '127.0.0.1', helo: 'relay.example', serverName: 'mx.test' };
const outside = { ...loopback, clientAddress: '192.0.2.9', helo: 'mail.bank.example' };

const authenticationAt = (dns: string, settings: NodeJS.ProcessEnv = {}): SenderAuthentication => {
  const needed = {
    DATABASE_URL: 'postgres://x@127.0.0.1/x',
    BLOBS_DATABASE_URL: 'postgres://x@127.0.0.1/x',
    CALLER_KEY: Buffer.alloc(32).toString('base64'),
    SECRETS_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
  };
  const config = loadConfig(MailConfig, {
    ...needed,
    MAIL_AUTH_DNS_SERVERS: dns,
    ...settings,
  });
  return new SenderAuthentication(config, log);
};

let names: NameServer;
let authentication: SenderAuthentication;

beforeAll(async () => {
  names = await namesOf(texts, addresses);
  authentication = authenticationAt(names.address);
});
afterAll(() => names.close());

const check = async (
  raw: Buffer | string,
  origin: Omit<Origin, 'from'> & { from?: string } = loopback,
  by = authentication,
): Promise<MessageAuth> =>
  (await by.check(Buffer.from(raw), { from: 'a@bank.example', ...origin })).auth;

const letter = (from: string, more = {}): Parameters<typeof mailBytes>[0] => ({
  from,
  to: 'support@acme.test',
  subject: 'Your order',
  text: 'Hello,\r\n\r\nit is on its way.\r\n',
  ...more,
});

const fromBank = letter('Bank <service@bank.example>');

describe('DKIM', () => {
  it('passes what its domain signed, and with it DMARC', async () => {
    expect(await check(await mailBytes(fromBank, bank))).toEqual({
      spf: 'none',
      dkim: 'pass',
      dmarc: 'pass',
    });
  });

  it('is evidence of the author where it is of their domain, or one above it, and of no other', async () => {
    const isAligned = async (from: string, by: typeof bank) => {
      const raw = await mailBytes(letter(from), by);
      return (await authentication.check(raw, { from: '', ...loopback })).isAligned;
    };
    expect(await isAligned('service@bank.example', bank)).toBe(true);
    expect(await isAligned('Bank <service@mail.bank.example>', bank)).toBe(true);
    expect(await isAligned('service@bank.example', stranger)).toBe(false);
    expect(await isAligned('service@notbank.example', bank)).toBe(false);
    const unsigned = await mailBytes(fromBank);
    const origin = { from: 'a@bank.example', ...outside };
    expect((await authentication.check(unsigned, origin)).isAligned).toBe(true);
    const other = { ...origin, from: 'a@other.example' };
    expect((await authentication.check(unsigned, other)).isAligned).toBe(false);
  });

  it.each([
    ['a changed body', (raw: string) => raw.replace('on its way', 'lost')],
    ['a changed subject', (raw: string) => raw.replace('Your order', 'Your bill')],
    ['another author', (raw: string) => raw.replace('service@bank', 'boss@bank')],
  ])('fails for %s', async (_what, change) => {
    const raw = (await mailBytes(fromBank, bank)).toString('latin1');
    expect(await check(change(raw))).toEqual({ spf: 'none', dkim: 'fail', dmarc: 'fail' });
  });

  it('of a stranger passes, but not for the author', async () => {
    const auth = await check(await mailBytes(fromBank, stranger));
    expect(auth).toEqual({ spf: 'none', dkim: 'pass', dmarc: 'fail' });
    expect(trustOf([], auth)).toEqual({ level: 'caution', reasons: ['auth_failed'] });
  });

  it('is none without a signature, and DMARC fails where the domain has a policy', async () => {
    expect(await check(await mailBytes(fromBank))).toEqual({
      spf: 'none',
      dkim: 'none',
      dmarc: 'fail',
    });
  });

  it('is neutral when there is no key, or none that can be read', async () => {
    const lost = aSigningDomain('bank.example', 'lost');
    expect((await check(await mailBytes(fromBank, lost))).dkim).toBe('neutral');
    const raw = await mailBytes(letter('a@weak.example'), weak);
    expect((await check(raw)).dkim).toBe('neutral');
  });

  it('does not accept a signature that leaves the end of the body open', async () => {
    const raw = (await mailBytes(fromBank, bank)).toString('latin1');
    expect((await check(`${raw}More.\r\n`)).dkim).toBe('fail');
    const open = await withLength(fromBank);
    expect(await check(open)).toMatchObject({ dkim: 'pass', dmarc: 'pass' });
    const auth = await check(Buffer.concat([open, Buffer.from('Pay here.\r\n')]));
    expect(auth).toMatchObject({ dkim: 'permerror', dmarc: 'fail' });
  });

  it('passes over line feeds alone, and over a body that takes many pieces', async () => {
    const text = `${'Ünïcode and a line. '.repeat(3)}\r\n`.repeat(20_000);
    const raw = await mailBytes(letter('service@bank.example', { text }), bank);
    expect(await check(raw)).toMatchObject({ dkim: 'pass' });
    const lineFeeds = raw.toString('latin1').replaceAll('\r\n', '\n');
    expect(await check(Buffer.from(lineFeeds, 'latin1'))).toMatchObject({ dkim: 'pass' });
  });

  it('looks at ten signatures, the uppermost', async () => {
    const raw = (await mailBytes(fromBank, bank)).toString('latin1');
    const other =
      'DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=AAAA;\r\n b=AA\r\n';
    expect((await check(other.repeat(9) + raw)).dkim).toBe('pass');
    expect((await check(other.repeat(10) + raw)).dkim).not.toBe('pass');
    expect((await check(raw.replace('From:', `${other.repeat(1_000)}From:`))).dkim).toBe('pass');
  });
});

/** nodemailer writes no `l=`, mailauth does. */
async function withLength(mail: Parameters<typeof mailBytes>[0]): Promise<Buffer> {
  const { dkimSign } = await import('mailauth/lib/dkim/sign.js');
  const raw = await mailBytes(mail);
  const { domain: signingDomain, selector, privateKey } = bank;
  const maxBodyLength = raw.length - raw.indexOf('\r\n\r\n') - 4;
  const key = { signingDomain, selector, privateKey, maxBodyLength };
  const options = { ...key, canonicalization: 'relaxed/relaxed', signatureData: [key] };
  const { signatures } = await dkimSign(raw, options);
  return Buffer.concat([Buffer.from(signatures), raw]);
}

describe('SPF', () => {
  it.each([
    ['a@bank.example', 'pass'],
    ['a@soft.example', 'softfail'],
    ['a@neutral.example', 'neutral'],
    ['a@unknown.example', 'none'],
    ['a@loop.example', 'permerror'],
    ['a@broken.example', 'permerror'],
    ['a@by-address.example', 'pass'],
    ['', 'none'],
  ])('of <%s> is %s', async (from, spf) => {
    expect((await check('Subject: x\r\n\r\nx\r\n', { ...outside, from })).spf).toBe(spf);
  });

  it('is permerror for a path that is longer than one may be', async () => {
    const from = `a@${'long.'.repeat(80)}example`;
    expect((await check('Subject: x\r\n\r\nx\r\n', { ...outside, from })).spf).toBe('permerror');
  });

  it('fails for an address that its domain does not send from', async () => {
    const elsewhere = { ...outside, clientAddress: '198.51.100.1' };
    const auth = await check(await mailBytes(fromBank), elsewhere);
    expect(auth).toEqual({ spf: 'fail', dkim: 'none', dmarc: 'fail' });
  });

  it('is enough for DMARC when the envelope has the author’s domain', async () => {
    const raw = await mailBytes(fromBank);
    expect(await check(raw, outside)).toEqual({ spf: 'pass', dkim: 'none', dmarc: 'pass' });
    const strange = { ...outside, from: 'a@by-address.example' };
    expect(await check(raw, strange)).toEqual({ spf: 'pass', dkim: 'none', dmarc: 'fail' });
  });

  it.each(['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '::1', 'fd00::1', 'fe80::1%eth0'])(
    'is none for what the relay at %s hands over',
    async (clientAddress) => {
      expect((await check(await mailBytes(fromBank), { ...outside, clientAddress })).spf).toBe(
        'none',
      );
    },
  );

  it('takes for a relay what the operator names, and nothing else then', async () => {
    const own = authenticationAt(names.address, { MAIL_AUTH_RELAYS: '192.0.2.9' });
    expect((await check(await mailBytes(fromBank), outside, own)).spf).toBe('none');
    expect((await check(await mailBytes(fromBank), loopback, own)).spf).toBe('fail');
  });
});

describe('DMARC', () => {
  it.each([
    ['no author', 'Subject: x\r\n\r\nx\r\n'],
    ['two authors', 'From: a@bank.example, b@shop.example\r\n\r\nx\r\n'],
    ['two From fields', 'From: a@bank.example\r\nFrom: b@shop.example\r\n\r\nx\r\n'],
  ])('is permerror with %s, which is worth caution', async (_what, raw) => {
    const auth = await check(raw);
    expect(auth.dmarc).toBe('permerror');
    expect(trustOf([], auth)).toEqual({ level: 'caution', reasons: ['auth_failed'] });
  });

  it('is none without a policy, which is worth caution when nothing else is known', async () => {
    const auth = await check(await mailBytes(letter('a@unknown.example')));
    expect(auth).toEqual({ spf: 'none', dkim: 'none', dmarc: 'none' });
    expect(trustOf([], auth)).toEqual({ level: 'caution', reasons: ['auth_missing'] });
  });
});

describe('without an answer', () => {
  let silent: Socket;
  let dns: string;

  beforeAll(async () => {
    silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    dns = `127.0.0.1:${silent.address().port}`;
  });
  afterAll(() => void silent.close());

  it('is temperror when the time is over, and worth no caution', async () => {
    const raw = await mailBytes(fromBank, bank);
    const within = (time: string): Promise<MessageAuth> =>
      check(raw, outside, authenticationAt(dns, { MAIL_AUTH_TIMEOUT: time }));
    // The one with more time is asked first: it would be first if the time made no difference.
    const later = within('2s').then(() => null);
    const unanswered = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' } as const;
    expect(await Promise.race([later, within('400ms')])).toEqual(unanswered);
    expect(trustOf([], unanswered)).toEqual({ level: 'ordinary', reasons: [] });
    await later;
  });

  it('is temperror at once when nothing listens there', async () => {
    const own = authenticationAt('127.0.0.1:1');
    const auth = await check(await mailBytes(fromBank, bank), outside, own);
    expect(auth).toEqual({ spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' });
  });
});

describe('a hostile message', () => {
  const signature =
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=bank.example; s=s1; h=from;\r\n bh=AAAA; b=AAAA\r\n';
  const head = 'From: a@bank.example\r\nSubject: x\r\n';

  it.each<[string, () => string, MessageAuth['dkim']]>([
    [
      'over 5,000 lines of header',
      () => `${head}X: y\r\n${' a\r\n'.repeat(5_000)}\r\nx`,
      'temperror',
    ],
    ['over 128 KiB of header', () => `${head}X: ${'a'.repeat(140_000)}\r\n\r\nx`, 'temperror'],
    ['no end of its header', () => `${head}${'X: y\r\n'.repeat(200_000)}`, 'temperror'],
    [
      'a signed line of 20 MB',
      () => `${head}${signature}\r\n${'a'.repeat(20_000_000)}\r\n`,
      'temperror',
    ],
    ['an unsigned line of 20 MB', () => `${head}\r\n${'a'.repeat(20_000_000)}\r\n`, 'none'],
    ['20 MB of line feeds', () => `${head}${signature}\r\n${'\n'.repeat(20_000_000)}`, 'fail'],
    [
      'ten hashes of 10 MB',
      () =>
        Array.from({ length: 10 }, (_, i) => signature.replace('h=from', `l=${i}; h=from`)).join(
          '',
        ) + `${head}\r\n${'line of text\r\n'.repeat(750_000)}`,
      'fail',
    ],
    [
      'a list of signed fields without end',
      () => `${head}${signature.replace('h=from', `h=from${':x'.repeat(50_000)}`)}\r\nx\r\n`,
      'fail',
    ],
    ['5,000 authors', () => `From: ${'a@bank.example,'.repeat(5_000)}\r\n\r\nx\r\n`, 'none'],
    ['nothing at all', () => '', 'none'],
  ])('is answered in time, and holds up nobody else: %s', async (_what, make, dkim) => {
    const raw = Buffer.from(make(), 'latin1');
    const turns = longestTurn();
    const before = process.cpuUsage();
    expect((await check(raw, loopback, unhurried())).dkim).toBe(dkim);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(4_500);
    expect(turns.stop()).toBeLessThan(1_000);
  });
});

/** A busy machine needs more time for the same work: what counts is the work. */
const unhurried = (): SenderAuthentication =>
  new SenderAuthentication(
    { mailAuthRelays: [], mailAuthDnsServers: [names.address], mailAuthMs: 60_000 },
    log,
  );
