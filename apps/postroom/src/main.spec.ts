import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { access, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationPage, CalendarList, NewKey } from '@postroom/contracts';
import { someOf } from '@postroom/testing/repetitions';
import { SettingsClient } from './demo/index.js';
import { type DemoFacts } from './demo/index.js';
import { Product, type Running } from './testing/product.js';

// Each test starts real processes and a PostgreSQL: seconds, more on a busy machine.

const noStack = /^ +at /m;

/** Everything is ready except the demo. */
const demoIsMade = (_status: number, body: string): boolean =>
  /"missing":\[\{"name":"demo"/.test(body);

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('npm start', () => {
  let product: Product;
  let running: Running;
  let facts: DemoFacts;

  const conversations = async ({ baseUrl, tenants }: DemoFacts): Promise<string[]> => {
    const ids: string[] = [];
    for (const { mailboxes, keys } of tenants) {
      for (const mailbox of mailboxes) {
        const headers = { 'x-api-key': keys.human };
        const answer = await fetch(`${baseUrl}/v1/conversations?mailbox=${mailbox}`, { headers });
        const page = (await answer.json()) as ConversationPage;
        ids.push(...page.conversations.map(({ id, messageCount }) => `${id} ${messageCount}`));
      }
    }
    return ids;
  };

  beforeAll(async () => {
    product = await Product.prepare();
    const killed = product.start();
    await product.reaches(killed, demoIsMade);
    // Interrupted while it was being made, on the slowest and on the fastest machine.
    await sleep(50);
    killed.kill('SIGKILL');
    await killed.ended;
    await expect(access(join(product.dataDir, 'demo.json'))).rejects.toThrow();
    running = await product.ready();
    facts = await product.facts();
  });
  afterAll(() => product.remove());

  it('makes the demo whole after a SIGKILL in its midst, each letter once', async () => {
    const found = await conversations(facts);
    const messages = found.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    expect(messages).toBe(2 * 7);
    expect(new Set(found).size).toBe(found.length);
  });

  it('tells of the demo in a file that only its owner can read', async () => {
    const { mode } = await stat(join(product.dataDir, 'demo.json'));
    expect(mode & 0o777).toBe(0o600);
    const { port, smtpPort, dataDir } = product;
    const local = `http://127.0.0.1:${port}`;
    const person = {
      email: expect.stringContaining('@'),
      password: expect.stringMatching(/^.{16}$/),
    };
    const human = expect.stringMatching(/^pr_human_/);
    const agent = expect.stringMatching(/^pr_agent_/);
    expect(facts).toEqual({
      baseUrl: `${local}/public`,
      settingsUrl: `${local}/settings/api`,
      consoleUrl: `${local}/`,
      smtp: { host: '127.0.0.1', port: smtpPort },
      outbox: join(dataDir, 'outbox'),
      tenants: ['acme', 'globex'].map((name) => ({
        id: expect.stringMatching(/^ten_/),
        name,
        admin: person,
        member: person,
        mailboxes: [`support@${name}.test`, `sales@${name}.test`],
        keys: { admin: human, human, readOnly: human, agent, agentDirect: agent },
      })),
    });
  });

  it('keeps everything secret to its owner', async () => {
    for (const file of ['installation.json', 'database.json']) {
      expect((await stat(join(product.dataDir, file))).mode & 0o777).toBe(0o600);
    }
  });

  it('prints what is needed to go on', () => {
    const [acme] = facts.tenants;
    for (const told of [facts.baseUrl, acme?.admin.password, acme?.keys.human, 'curl ']) {
      expect(running.output()).toContain(told);
    }
  });

  describe('a second time on the same data folder', () => {
    it('says who has it, and ends with 1', async () => {
      const { code, output } = await product.start().ended;
      expect(code).toBe(1);
      expect(output).toContain('POSTROOM_DATA_DIR');
      expect(output).not.toMatch(noStack);
    });
  });

  describe('postroom workspace create', () => {
    const create = (name: string, admin: string) =>
      product.cli('workspace', 'create', '--name', name, '--admin', admin);
    const accept = async (url: string): Promise<Response> => {
      const token = new URL(url).searchParams.get('token');
      const body = JSON.stringify({ token, password: 'correct horse battery staple' });
      const headers = { 'content-type': 'application/json' };
      return fetch(`${facts.settingsUrl}/invitations/accept`, { method: 'POST', headers, body });
    };

    it('prints a link that lets the first administrator in, once, and again on demand', async () => {
      const first = await create('initech', 'Bill@initech.test');
      expect(first).toEqual({
        code: 0,
        output: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/invitation\?token=[\w-]+\n$/),
      });
      const accepted = await accept(first.output);
      expect(await accepted.json()).toMatchObject({
        member: { email: 'bill@initech.test', role: 'admin' },
        tenant: { name: 'initech' },
      });
      expect((await accept(first.output)).status).toBe(404);
      const again = await create('initech', 'bill@initech.test');
      expect((await accept(again.output)).status).toBe(200);
      const settings = new SettingsClient(facts.settingsUrl);
      const password = 'correct horse battery staple';
      await settings.call('POST', '/session', { email: 'bill@initech.test', password });
      expect(await settings.call('GET', '/v1/address-books')).toMatchObject({
        addressBooks: [{ name: 'Contacts', access: 'write' }],
      });
      const { calendars } = await settings.call<CalendarList>('GET', '/v1/calendars');
      expect(calendars).toEqual([expect.objectContaining({ name: 'Team', scope: 'shared' })]);
    });

    it('refuses one who is no administrator of a workspace that is there', async () => {
      const { code, output } = await create('acme', 'eve@evil.example');
      expect(code).toBe(1);
      expect(output).toMatch(/no active administrator eve@evil\.example/);
      expect(output).not.toMatch(noStack);
    });

    // For other mistakes see run-command.spec.ts.
    it('shows how it is used, and ends with 1, when its arguments are wrong', async () => {
      const { code, output } = await product.cli('workspace', 'create', '--colour', 'red');
      expect(code).toBe(1);
      expect(output).toMatch(/^Unknown option '--colour'.*\nUsage:\s+postroom workspace create/);
    });

    it('shows how it is used when it is asked', async () => {
      const { code, output } = await product.cli('--help');
      expect(code).toBe(0);
      expect(output).toMatch(/postroom dead-letters replay/);
    });
  });

  describe('stopped and started again', () => {
    let before: string[];
    let ownKey: string;
    let notRunning: { code: number | null; output: string };

    const list = async (key: string, { baseUrl }: DemoFacts): Promise<number> => {
      const url = `${baseUrl}/v1/conversations?mailbox=support@acme.test`;
      return (await fetch(url, { headers: { 'x-api-key': key } })).status;
    };

    beforeAll(async () => {
      before = await conversations(facts);
      const settings = new SettingsClient(facts.settingsUrl);
      await settings.call('POST', '/session', facts.tenants[0]?.admin);
      const adminKey = facts.tenants[0]?.keys.admin.split('_')[2] ?? '';
      await settings.call('DELETE', `/keys/key_${adminKey}`);
      const mailboxes = [{ address: 'support@acme.test', access: 'read' }];
      const made = await settings.call<NewKey>('POST', '/keys', { name: 'Mine', mailboxes });
      ownKey = made.secret;
      running.kill('SIGINT');
      const { code } = await running.ended;
      expect(code).toBe(0);
      expect(await product.leftovers()).toEqual([]);
      notRunning = await product.cli('workspace', 'create', '--name', 'x', '--admin', 'a@b.test');
      running = await product.ready();
    });

    it('has the same keys, passwords and mail', async () => {
      const after = await product.facts();
      expect(after).toEqual(facts);
      expect(await conversations(after)).toEqual(before);
      const body = JSON.stringify(after.tenants[1]?.member);
      const headers = { 'content-type': 'application/json' };
      const signIn = await fetch(`${after.settingsUrl}/session`, { method: 'POST', headers, body });
      expect(signIn.status).toBe(200);
    });

    it('keeps what was changed meanwhile: a key that was revoked, one that was made', async () => {
      const after = await product.facts();
      expect(await list(after.tenants[0]?.keys.admin ?? '', after)).toBe(401);
      expect(await list(ownKey, after)).toBe(200);
    });

    it('was missed by postroom workspace create in between', () => {
      expect(notRunning.code).toBe(1);
      expect(notRunning.output).toContain('Is Postroom running?');
    });

    it('ends as well when it is told to by SIGTERM', async () => {
      running.kill('SIGTERM');
      expect((await running.ended).code).toBe(0);
      expect(await product.leftovers()).toEqual([]);
    });
  });
});

describe('a start that cannot be', () => {
  let taken: Product;
  let product: Product;

  beforeAll(async () => {
    [taken, product] = [await Product.prepare(), await Product.prepare()];
  });
  afterAll(async () => {
    await Promise.all([taken.remove(), product.remove()]);
  });

  it('names every setting that is wrong, at once, and makes nothing', async () => {
    const settings = {
      ...{ PORT: 'http', SMTP_PORT: '0', PUBLIC_URL: 'postroom.example', LOG_LEVEL: 'loud' },
      ...{ RATE_LIMIT_PER_MINUTE: 'many', SMTP_CLIENTS_MAX: '0', SECRETS_KEYS: 'hush' },
    };
    const { code, output } = await product.start(settings).ended;
    expect(code).toBe(1);
    for (const variable of Object.keys(settings)) {
      expect(output.split('\n').filter((line) => line.includes(` ${variable} `))).toHaveLength(1);
    }
    expect(output).not.toContain('hush');
    expect(output).not.toMatch(noStack);
    await expect(access(product.dataDir)).rejects.toThrow();
  });

  const ports: readonly [string, () => Readonly<Record<string, string>>][] = [
    ['PORT', () => ({ PORT: String(taken.port) })],
    ['SMTP_PORT', () => ({ SMTP_PORT: String(taken.smtpPort) })],
    ['LMTP_PORT', () => ({ LMTP_PORT: String(taken.smtpPort) })],
  ];

  it.each(someOf(ports, 1))(
    'says that its port is in use, and names %s',
    async (variable, settings) => {
      const listener = await listen(variable === 'PORT' ? taken.port : taken.smtpPort);
      const { code, output } = await product.start(settings()).ended;
      listener.close();
      expect(code).toBe(1);
      expect(output).toMatch(new RegExp(`in use.* ${variable}\\.`));
      expect(output).not.toMatch(noStack);
      expect(await product.leftovers()).toEqual([]);
    },
  );
});

describe('a start that is broken off', () => {
  let product: Product;

  // A folder each: in one that an earlier start has left, its PostgreSQL is there before the process listens to signals.
  beforeEach(async () => {
    product = await Product.prepare();
  });
  afterEach(() => product.remove());

  const until = async (holds: () => Promise<unknown>): Promise<void> => {
    while ((await holds().catch(() => undefined)) === undefined) await sleep(2);
  };

  const moments: readonly [string, (running: Running) => Promise<void>][] = [
    ['while PostgreSQL starts', () => until(() => product.postgres())],
    ['while PostgreSQL is prepared', () => until(() => stat(join(product.dataDir, 'postgres')))],
    ['while the demo is made', (running) => product.reaches(running, demoIsMade)],
  ];

  it.each(someOf(moments, 1))('%s leaves nothing running', async (_name, moment) => {
    const running = product.start();
    await moment(running);
    running.kill('SIGINT');
    const { code, output } = await running.ended;
    expect(output).not.toMatch(noStack);
    expect(code).toBe(0);
    expect(await product.leftovers()).toEqual([]);
  });
});
