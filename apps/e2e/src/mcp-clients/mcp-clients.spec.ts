// tags: mcp
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, pythonWith, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { itemsOf } from '../wire.js';
import { type OwnKey, Workplace } from '../workplace.js';
import { builtJavaClient, javaMissing } from './java-client.js';
import { officialPackages } from './official-packages.js';
import { OfficialProgram, run } from './official-program.js';

const python = pythonWith(['mcp==2.3.0']);
const itInPython = whereThere(python, it);
const hasGo = spawnSync('go', ['version']).status === 0;
const itInGo = whereThere({ missing: hasGo ? null : 'go' }, it);
const itInJava = whereThere({ missing: javaMissing() }, it);

describe('official programs of MCP', () => {
  let folder: string;
  let workplace: Workplace;
  let mailbox: string;
  let agent: OwnKey;
  let reader: OwnKey;
  let url: string;

  beforeAll(async () => {
    folder = officialPackages('clients');
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    agent = await workplace.keyFor(mailbox, {
      ...{ kind: 'agent', approval: 'required', scopes: ['read:conversations', 'drafts:write'] },
    });
    reader = await workplace.keyFor(mailbox);
    await workplace.receive(reader, mailbox, { subject: 'An order', text: 'Where is the order?' });
    url = `${workplace.product.baseUrl}/mcp`;
  });

  /** A client connects, lists, reads, files, and sees what was approved. */
  async function converse(command: string, program: string, name: string, ...more: string[]) {
    const args = [program, url, agent.key, mailbox, name, ...more];
    const client = new OfficialProgram(command, args, folder, { ...process.env, ...python.env });
    expect(await client.next()).toMatchObject({ server: { name: 'postroom' } });
    expect(await client.next()).toEqual({ tools: expect.arrayContaining(['svc_search']) });
    expect(await client.next()).toEqual({ read: expect.stringMatching(/^cnv_/), isError: false });
    const { filed, isError } = await client.next();
    expect([filed, isError]).toEqual([expect.stringMatching(/^apr_/), false]);
    const path = `/approvals/${String(filed)}/approve`;
    expect((await workplace.settings.post(path, {})).status).toBe(200);
    client.goOn();
    expect(await client.next()).toEqual({ draft: `By ${name}`, isError: false });
    expect(await client.next()).toEqual({ unknown: -32602 });
    expect(await client.end()).toBe(0);
  }

  it('the TypeScript client 1.x', () => converse(process.execPath, 'typescript-1.mjs', 'ts 1'));

  it('the TypeScript client 2.x', () => converse(process.execPath, 'typescript-2.mjs', 'ts 2'));

  it('the TypeScript client 2.x that looks for a newer server first', () =>
    converse(process.execPath, 'typescript-2.mjs', 'ts 2 auto', 'auto'));

  /** A person signs in, allows, and is sent back to the client. */
  async function allowed(address: string): Promise<string> {
    const { cookie } = workplace.settings;
    const page = await fetch(address, { headers: { cookie } });
    const request = /name="request" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const choice = { request, decision: 'allow', [`mailbox:${mailbox}`]: 'write' };
    const body = new URLSearchParams(choice);
    for (const scope of ['read:conversations', 'drafts:write']) body.append('scope', scope);
    const decided = await fetch(new URL('/oauth/authorize', address), {
      ...{ method: 'POST', redirect: 'manual', headers: { cookie }, body },
    });
    return decided.headers.get('location') ?? '';
  }

  /** A client signs in from the address alone, lists, searches, and goes on when its token has expired. */
  async function byAddress(version: string, command: string, ...program: string[]) {
    const args = [...program, `${url}/latest`, mailbox];
    const client = new OfficialProgram(command, args, folder, { ...process.env, ...python.env });
    client.goOn(await allowed(String((await client.next())['authorize'])));
    expect(await client.next()).toEqual({ version, tools: 10 });
    expect(await client.next()).toEqual({ found: true });
    expect(await client.next()).toEqual({ again: 10 });
    return client;
  }

  it.each([
    ['the TypeScript client 1.x', 'oauth.mjs'],
    ['mcp-remote', 'remote.mjs'],
  ])('%s, by OAuth from the address alone', async (_name, program) => {
    const client = await byAddress('2025-06-18', process.execPath, program);
    expect(await client.end()).toBe(0);
  });

  it('the TypeScript client 2.x, by OAuth, in revision 2026-07-28, which follows a task', async () => {
    const client = await byAddress('2026-07-28', process.execPath, 'latest.mjs');
    const { filed } = await client.next();
    await workplace.settings.post(`/approvals/${String(filed)}/approve`, {});
    expect(await client.next()).toEqual({ draft: 'By latest' });
    expect(await client.end()).toBe(0);
  });

  it('the client of Vercel’s AI SDK, by OAuth, which is told of an event', async () => {
    const client = await byAddress('2026-07-28', process.execPath, 'vercel-oauth.mjs');
    expect(await client.next()).toEqual({ listening: true });
    await workplace.receive(reader, mailbox);
    expect(await client.next()).toEqual({ event: 'conversation.received' });
    client.goOn();
    expect(await client.next()).toEqual({ kept: 0 });
    expect(await client.end()).toBe(0);
  });

  itInPython('the Python client, by OAuth, in revision 2026-07-28', async () => {
    expect(await (await byAddress('2026-07-28', 'python3', 'oauth.py')).end()).toBe(0);
  });

  itInGo('the Go client, by OAuth, in revision 2026-07-28', async () => {
    const built = await run('go', ['build', '-o', 'client', '.'], join(folder, 'go'));
    expect(built).toEqual({ code: 0, output: expect.any(String) });
    const client = await byAddress('2026-07-28', join(folder, 'go', 'client'));
    expect(await client.end()).toBe(0);
  });

  // The SDK itself has no OAuth: it has hooks, and the program does what they are for.
  itInJava('the Java client, by OAuth in its hooks', async () => {
    const java = join(folder, 'java');
    const client = await byAddress(
      '2025-06-18',
      'java',
      '-cp',
      builtJavaClient(java),
      'OAuthClient',
    );
    const { filed } = await client.next();
    await workplace.settings.post(`/approvals/${String(filed)}/approve`, {});
    client.goOn();
    expect(await client.next()).toEqual({ draft: 'By java' });
    expect(await client.end()).toBe(0);
  });

  itInPython('the Python client', () => converse('python3', 'client.py', 'python'));

  it('the client of Vercel’s AI SDK', async () => {
    const args = ['vercel.mjs', url, agent.key, mailbox, 'vercel'];
    const client = new OfficialProgram(process.execPath, args, folder, process.env);
    expect(await client.next()).toEqual({ tools: expect.arrayContaining(['svc_search']) });
    expect(await client.next()).toEqual({ found: true, isError: false });
    const { filed } = await client.next();
    await workplace.settings.post(`/approvals/${String(filed)}/approve`, {});
    client.goOn();
    expect(await client.next()).toEqual({ draft: 'By vercel', isError: false });
    expect(await client.end()).toBe(0);
  });

  itInJava('the Java client', async () => {
    const java = join(folder, 'java');
    const args = ['-cp', builtJavaClient(java), 'Client', url, agent.key, mailbox];
    const { code, output } = await run('java', args, java);
    expect([code, output]).toEqual([0, expect.stringContaining('postroom\n10\nfalse true')]);
  });

  describe('the Inspector, by OAuth from the address alone', () => {
    let home: string;

    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'postroom-inspector-'));
    });
    afterAll(() => {
      rmSync(home, { recursive: true });
    });

    /** Runs it in revision 2026-07-28; where it asks for a browser, a person allows. */
    async function inspect(...args: string[]): Promise<{ code: number | null; output: string }> {
      const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
      const program = [
        'node_modules/.bin/inspector',
        '--cli',
        `${url}/latest`,
        '--transport',
        'http',
      ];
      const options = ['--protocol-era', 'modern', '--callback-url', callback, '--format', 'json'];
      // No browser of this machine is to open.
      const { DISPLAY: _, ...environment } = process.env;
      const own = { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' };
      const env = { ...environment, ...own, BROWSER: 'true', HOME: home };
      const child = spawn(process.execPath, [...program, ...options, ...args], {
        cwd: folder,
        env,
      });
      const output = text(child.stdout);
      const complaints: string[] = [];
      for await (const line of createInterface(child.stderr)) {
        const [, address] = /^Please navigate to: (\S+)/.exec(line) ?? [];
        if (address === undefined) complaints.push(line);
        else await fetch(await allowed(address));
      }
      if (child.exitCode === null) await once(child, 'exit');
      return { output: [await output, ...complaints].join('\n'), code: child.exitCode };
    }
    const call = (tool: string, args: object) =>
      inspect(
        ...['--stored-auth-only', '--method', 'tools/call', '--tool-name', tool],
        ...['--tool-args-json', JSON.stringify(args)],
      );

    it('signs in once, lists, calls, and waits for approval', async () => {
      const listed = await inspect('--method', 'tools/list');
      expect(listed).toEqual({ code: 0, output: expect.stringContaining('svc_conversation_get') });
      const found = await call('svc_search', { query: 'order', mailbox });
      expect(found).toEqual({ code: 0, output: expect.stringContaining('An order') });
      const draft = { mailbox, subject: 'By the Inspector', body: 'Hello' };
      // It asks for the task until a member has decided.
      const writing = call('svc_draft_create', draft);
      const filed = async () =>
        itemsOf(await workplace.settings.get('/approvals?state=pending')).find(({ summary }) =>
          String(summary).includes(draft.subject),
        );
      await until(async () => (await filed()) !== undefined);
      const approval = String((await filed())?.['id']);
      await workplace.settings.post(`/approvals/${approval}/approve`, {});
      const written = await writing;
      expect(written).toEqual({ code: 0, output: expect.stringContaining(draft.subject) });
      expect(written.output).toContain('drf_');
    });
  });

  describe('the Inspector', () => {
    const inspect = (key: string, ...args: string[]) =>
      run(
        process.execPath,
        [
          ...['node_modules/.bin/inspector', '--cli', url, '--transport', 'http'],
          ...['--header', `X-Api-Key: ${key}`, ...args],
        ],
        folder,
      );
    const call = (tool: string, args: object) =>
      inspect(
        agent.key,
        ...[
          '--method',
          'tools/call',
          '--tool-name',
          tool,
          '--tool-args-json',
          JSON.stringify(args),
        ],
      );

    it('lists', async () => {
      const { code, output } = await inspect(agent.key, '--method', 'tools/list');
      expect([code, output]).toEqual([0, expect.stringContaining('svc_conversation_get')]);
    });

    it('calls', async () => {
      const { code, output } = await call('svc_search', { query: 'order', mailbox });
      expect([code, output]).toEqual([0, expect.stringContaining('An order')]);
    });

    it('tells refusals apart', async () => {
      const id = 'cnv_01M86DAYZ6HWAQSEZ6NEAZKC9X';
      expect((await call('svc_conversation_get', { id, mailbox })).code).toBe(5);
      const foreign = { query: 'order', mailbox: 'none@acme.test' };
      expect((await call('svc_search', foreign)).code).toBe(1);
      expect((await inspect('pr_human_none', '--method', 'tools/list')).code).toBe(3);
    });
  });
});
