import { describe, expect, it } from '@jest/globals';
import { domainFindings, type Names } from './check-mail-domains.js';

type Zone = Readonly<Record<string, readonly string[]>>;

/** A name system of what `zone` says, by `TYPE name`. */
const namesOf = (zone: Zone): Names => {
  const ask = (type: string) => async (name: string) => {
    const found = zone[`${type} ${name}`];
    if (!found) throw new Error('ENOTFOUND');
    return [...found];
  };
  return {
    resolveMx: async (name: string) =>
      (await ask('MX')(name)).map((exchange) => ({ exchange, priority: 10 })),
    resolveTxt: async (name: string) => (await ask('TXT')(name)).map((text) => [text]),
    resolve4: ask('A') as Names['resolve4'],
    resolve6: ask('AAAA') as Names['resolve6'],
    reverse: ask('PTR'),
  };
};

const sound: Zone = {
  'MX acme.example': ['mx.acme.example'],
  'A mx.acme.example': ['192.0.2.1'],
  'AAAA mx.acme.example': ['2001:db8::1'],
  'PTR 192.0.2.1': ['mx.acme.example'],
  'PTR 2001:db8::1': ['MX.acme.example.'],
  'TXT acme.example': ['google-site-verification=x', 'v=spf1 mx -all'],
  'TXT pr1._domainkey.acme.example': ['v=DKIM1; k=rsa; p=MIIB'],
  'TXT _dmarc.acme.example': ['v=DMARC1; p=quarantine'],
};

describe('the doctor on a domain', () => {
  const said = async (over: Zone = {}, selectors = ['pr1']): Promise<string[]> => {
    const zone = Object.fromEntries(
      Object.entries({ ...sound, ...over }).filter(([, records]) => records.length > 0),
    );
    const found = await domainFindings({ name: 'acme.example', selectors }, namesOf(zone));
    return found.map(({ state, says }) => `${state} ${says}`);
  };

  it('finds MX, PTR, SPF, DKIM and DMARC where they are', async () => {
    expect(await said()).toEqual([
      'ok acme.example: MX mx.acme.example',
      'ok mx.acme.example: PTR of 192.0.2.1, 2001:db8::1',
      'ok acme.example: SPF v=spf1 mx -all',
      'ok pr1._domainkey.acme.example has a key',
      'ok acme.example: DMARC p=quarantine',
    ]);
  });

  it.each<[Zone, string]>([
    [{ 'MX acme.example': [] }, 'warning acme.example has no MX'],
    [
      { 'A mx.acme.example': [], 'AAAA mx.acme.example': [] },
      'wrong mx.acme.example has no address',
    ],
    [
      { 'PTR 192.0.2.1': ['dsl-1.isp.example'] },
      'warning 192.0.2.1 of mx.acme.example has another name, or none (PTR)',
    ],
    [
      { 'PTR 2001:db8::1': [] },
      'warning 2001:db8::1 of mx.acme.example has another name, or none (PTR)',
    ],
    [{ 'TXT acme.example': [] }, 'warning acme.example has no SPF record'],
    [{ 'TXT acme.example': ['v=spf1 mx', 'v=spf1 a'] }, 'wrong acme.example has 2 SPF records'],
    [
      { 'TXT acme.example': ['v=spf1 +all'] },
      'wrong acme.example: SPF admits everybody ("v=spf1 +all")',
    ],
    [
      { 'TXT pr1._domainkey.acme.example': ['v=DKIM1; p='] },
      'warning pr1._domainkey.acme.example has no key',
    ],
    [{ 'TXT _dmarc.acme.example': [] }, 'warning acme.example has no DMARC record'],
  ])('tells what is missing or wrong: %j', async (over, words) => {
    expect(await said(over)).toContain(words);
  });

  it('tells of a domain whose mailboxes do not sign', async () => {
    expect(await said({}, [])).toContain('warning acme.example: no mailbox signs');
  });
});
