import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNameServer, type NameServer } from '@postroom/testing';
import { Agent } from 'undici';
import { dial, guardedConnector } from './dial.js';
import { guardedFetch } from './guarded-fetch.js';
import { OutboundGuard, TargetRefused, type Admitted } from './outbound-guard.js';
import { resolveByDns } from './host.js';

/** Hosts that name this machine or a private network, by what they try. */
const spellings = {
  'loopback, plainly': [
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
  ],
  'a name of loopback': ['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', 'ｌocalhost'],
  'decimal, hexadecimal, octal, short': [
    ...['2130706433', '017700000001', '0x7f000001', '0x7f.0.0.1', '0x7f.1', '0177.0.0.1', '0177.1'],
    ...['127.1', '127.0.1', '0x7F.0x0.0x0.0x1', '00000177.0.0.1', '127.0.0.1.', '3232235521', '0'],
    ...['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '10.1', '0x0a.0x01', '012.1', '0.0'],
  ],
  'full-width and other digits': [
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '１０.0.0.1',
  ],
  'private networks': [
    ...['10.0.0.0', '10.1.0.1', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1'],
    ...['192.168.255.255', '192.168.99.100', '172.20.0.1'],
  ],
  'link-local and metadata': [
    ...['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::', 'fe80::1', 'fe80::1%eth0'],
    ...[
      'fd00:ec2::254',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      'metadata.google.internal',
    ],
  ],
  'shared, reserved, documentation, benchmarking': [
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '100.64.0.0',
      '100.127.255.255',
      '192.0.0.0',
      '192.0.0.10',
      '192.0.2.0',
    ],
    ...['198.51.100.0', '203.0.113.0', '198.18.0.1', '198.19.255.255', '240.0.0.0', '250.0.0.1'],
    ...['255.255.255.255', '192.88.99.1', '192.31.196.10', '192.175.48.10'],
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff00::1', 'ff02::1', 'ffff::1'],
  'IPv4 inside IPv6': [
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '[::ffff:7f00:1]',
      '::ffff:10.1.0.1',
      '::ffff:a9fe:a9fe',
    ],
    ...['::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1'],
    ...[
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2002:c0a8:1::1',
      '2001::1',
      '2001:0:7f00:1::',
    ],
    ...['0000:0000:0000:0000:0000:ffff:7f00:0001', '::ffff:192.168.0.1'],
  ],
  'other IPv6': [
    ...[
      '::',
      'fc00::',
      'fd12:3456:789a:1::1',
      'fec0::1',
      '100::42',
      '2001:db8::1',
      '2001:2::1',
      '2001:10::1',
    ],
    ...['2001:20::2', '3fff::1', '5f00::1', '2620:4f:8000::1', '4000::1'],
  ],
  'names of networks inside': [
    'intranet',
    'printer.local',
    'db.internal',
    'nas.lan',
    'x.home.arpa',
    'a.onion',
  ],
  'no host at all': [
    ...[
      '',
      '.',
      '..',
      'exa mple.com',
      'user@127.0.0.1',
      '127.0.0.1#x',
      '127.0.0.1/x',
      'a..b',
      '127.0.0.1:80',
    ],
    ...[
      '[::1',
      '::1]',
      '127.0.0.1\t',
      'exam\nple.com',
      '%31%32%37.0.0.1',
      '256.0.0.1',
      '1.2.3.4.5',
    ],
  ],
} as const;

const hosts = Object.entries(spellings).flatMap(([kind, all]) =>
  all.map((host) => ({ kind, host })),
);

const zone: Readonly<Record<string, readonly string[]>> = {
  'public.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.example.com': ['10.0.0.1'],
  'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
  'mixed6.example.com': ['93.184.216.34', '::1'],
  'mapped.example.com': ['::ffff:7f00:1'],
  'nat64.example.com': ['64:ff9b::5db8:d822'],
  'dns.internal': ['93.184.216.34'],
  'app.internal': ['127.0.0.1'],
};

let names: NameServer;
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  names = await startNameServer((name, question) => {
    // The answer changes with each question: what was checked is not what is dialled next.
    if (name === 'rebinding.example.com') return [question === 1 ? '93.184.216.34' : '127.0.0.1'];
    return zone[name] ?? null;
  });
  server = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  names.close();
  server.close();
});

const guardOf = (options: { allowed?: string[]; ports?: number[] } = {}): OutboundGuard =>
  new OutboundGuard({ allowed: [], ...options, resolve: resolveByDns([names.address]) });

const dialled = (guard: OutboundGuard, host: string, to = port): Promise<string> =>
  dial(guard, { host, port: to }, AbortSignal.timeout(5_000)).then(
    (socket) => (socket.destroy(), 'connected'),
    (error: unknown) => (error as Error).name,
  );

/** The result of undici for a URL, or the name of its error. */
async function requested(guard: OutboundGuard, url: string): Promise<string> {
  const agent = new Agent({ connect: guardedConnector(guard, { timeoutMs: 2_000 }) });
  const { origin } = new URL(url);
  try {
    await agent.request({ origin, path: '/', method: 'POST', signal: AbortSignal.timeout(2_000) });
    return 'answered';
  } catch (error) {
    return (error as Error).name;
  } finally {
    await agent.destroy();
  }
}

describe('a target that is not public', () => {
  it('has at least eighty spellings here', () => expect(hosts.length).toBeGreaterThanOrEqual(80));

  it.each(hosts)('is refused when it is set: $kind, $host', async ({ host }) => {
    const checked = guardOf().check(host, 443);
    await expect(checked).rejects.toThrow(TargetRefused);
  });

  it.each(hosts)('is refused when it is dialled: $kind, $host', async ({ host }) => {
    const before = connections;
    // A name of a network inside may not resolve here, which is no way in either.
    expect(['TargetRefused', 'NameUnresolved']).toContain(await dialled(guardOf(), host));
    expect(connections).toBe(before);
  });

  it.each([
    ...[
      'http://127.0.0.1:PORT',
      'https://127.0.0.1:PORT',
      'http://127.1:PORT',
      'http://localhost:PORT',
    ],
    ...['http://[::ffff:7f00:1]:PORT', 'http://2130706433:PORT', 'http://private.example.com:PORT'],
    ...['https://mixed.example.com:PORT', 'http://１２７.０.０.１:PORT'],
  ])('is not requested through undici: %s', async (url) => {
    const before = connections;
    expect(await requested(guardOf(), url.replace('PORT', String(port)))).toBe('TargetRefused');
    expect(connections).toBe(before);
  });

  it('is refused with one text, whatever it is and whether its port is open', async () => {
    const texts = await Promise.all(
      [
        ['127.0.0.1', port],
        ['127.0.0.1', 1],
        ['private.example.com', port],
        ['intranet', 443],
      ].map(([host, at]) =>
        guardOf()
          .check(String(host), Number(at))
          .catch((error: unknown) => (error as Error).message),
      ),
    );
    expect(new Set(texts)).toEqual(new Set(['this target is not allowed']));
  });
});

describe('a name', () => {
  it('is admitted with all its addresses where all are public', async () => {
    const { addresses, isAllowListed } = await guardOf().admit('public.example.com', 443);
    expect(isAllowListed).toBe(false);
    expect(addresses.map(({ address }) => address).sort()).toEqual([
      '2606:2800:220:1::1',
      '93.184.216.34',
    ]);
  });

  it.each(['private.example.com', 'mixed.example.com', 'mixed6.example.com', 'mapped.example.com'])(
    'is refused whole for one forbidden address: %s',
    async (name) => {
      await expect(guardOf().admit(name, 443)).rejects.toThrow(TargetRefused);
      await expect(guardOf().check(name, 443)).rejects.toThrow(TargetRefused);
    },
  );

  it('is admitted through NAT64 when the address inside is public', async () => {
    expect((await guardOf().admit('nat64.example.com', 443)).addresses).toHaveLength(1);
  });

  it('of a network inside is refused though it resolves to a public address', async () => {
    await expect(guardOf().check('dns.internal', 443)).rejects.toThrow(TargetRefused);
  });

  it('that does not resolve yet is admitted when it is set, and judged when it is dialled', async () => {
    expect(await guardOf().check('later.example.com', 443)).toEqual({ isAllowListed: false });
    expect(await dialled(guardOf(), 'later.example.com')).toBe('NameUnresolved');
    await expect(guardOf().admit('later.example.com', 443)).rejects.toMatchObject({
      isUnknown: true,
    });
  });

  it('that changes its address after the check is refused when it is dialled', async () => {
    const guard = guardOf();
    expect(await guard.check('rebinding.example.com', 443)).toEqual({ isAllowListed: false });
    const before = connections;
    expect(await dialled(guard, 'rebinding.example.com')).toBe('TargetRefused');
    expect(await requested(guard, `https://rebinding.example.com:${port}`)).toBe('TargetRefused');
    expect(connections).toBe(before);
  });
});

describe('the allow-list', () => {
  const allowed = ['127.0.0.0/8'];

  it.each(['127.0.0.1', 'localhost', 'app.internal', '127.1', '::ffff:127.0.0.1'])(
    'lets %s be set and dialled',
    async (host) => {
      expect(await guardOf({ allowed }).check(host, port)).toEqual({ isAllowListed: true });
      expect(await dialled(guardOf({ allowed }), host)).toBe('connected');
    },
  );

  it('lets nothing else in', async () => {
    const guard = guardOf({ allowed });
    for (const host of ['10.0.0.1', '::1', 'mixed.example.com', 'intranet']) {
      await expect(guard.check(host, 443)).rejects.toThrow(TargetRefused);
    }
  });

  it('takes any port, where public targets take the listed ones', async () => {
    const guard = guardOf({ allowed, ports: [25, 465, 587, 2525] });
    expect(await guard.check('127.0.0.1', 8080)).toEqual({ isAllowListed: true });
    expect(await guard.check('93.184.216.34', 587)).toEqual({ isAllowListed: false });
    for (const host of ['93.184.216.34', 'public.example.com', 'later.example.com']) {
      await expect(guard.check(host, 443)).rejects.toThrow(TargetRefused);
    }
  });

  it('is needed for a request without TLS', async () => {
    expect(await requested(guardOf(), 'http://93.184.216.34:80')).toBe('TargetRefused');
    // The server answers nothing that is HTTP: it was reached.
    expect(await requested(guardOf({ allowed }), `http://127.0.0.1:${port}`)).toBe('SocketError');
  });
});

describe('guardedFetch', () => {
  /** Admits the server of this spec as it would a public one. */
  class PublicHere extends OutboundGuard {
    override admit(): Promise<Admitted> {
      const addresses = [{ address: '127.0.0.1', family: 4 }];
      return Promise.resolve({ isAllowListed: false, addresses });
    }
  }

  it('asks what is public without TLS only where it may, and ends with its signal', async () => {
    const guard = new PublicHere({ allowed: [] });
    const bounds = { timeoutMs: 2_000, bytesMax: 1_000 };
    const url = `http://public.example.com:${port}/`;
    const before = connections;
    await expect(guardedFetch(guard, bounds)(url, {})).rejects.toMatchObject({
      cause: { name: 'TargetRefused' },
    });
    expect(connections).toBe(before);
    const fetch = guardedFetch(guard, { ...bounds, withoutTls: 'any' });
    await expect(fetch(url, {})).rejects.toMatchObject({ cause: { name: 'SocketError' } });
    expect(connections).toBe(before + 1);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(fetch(url, { signal })).rejects.toThrow('enough');
  });
});
