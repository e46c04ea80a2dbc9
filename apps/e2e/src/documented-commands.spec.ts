// tags: own
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { whereThere } from '@postroom/testing';
import { productEnvironment } from './config.js';
import {
  documentedCommands,
  mentionedCommands,
  repository,
  type DocumentedCommand,
} from './documented-commands.js';
import { type CommandResult, type DemoTenant, type RunningProduct, tenantOf } from './product.js';
import { startProduct } from './product-process.js';

/** Commands that are not run here, and why. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^npm start\b/, 'starts the program that this spec starts'],
  [/^npm test\b/, 'runs this spec'],
  [/^npx nx affected /, 'runs specs'],
  [/^npm run start:cluster$/, 'needs Kafka: the suite `cluster` starts the same program'],
  [/^npm run postroom -- dead-letters /, 'needs Kafka: secured-cluster.spec.ts'],
  [/ outbox replay /, 'needs Kafka: cluster.spec.ts'],
  [/^pg_basebackup /, "needs PostgreSQL's own programs: drills/point-in-time.spec.ts"],
  [/ kafka acls /, 'needs Kafka with rights: secured-cluster.spec.ts'],
  [/^npm run postroom -- restore /, 'needs a database of its own: backup.spec.ts'],
  [/^docker |^for app in /, 'needs a container engine: npm run check:images'],
  [/^swaks /, 'needs a mail server in front, and swaks: lmtp.spec.ts is what it asks'],
  [/^helm /, 'needs a cluster: npm run check:deploy'],
  [/^claude /, 'needs Claude Code'],
  [/^npx @modelcontextprotocol\/inspector /, 'installs a package: npm run test:mcp'],
  [/^(pip install|openapi-python-client) /, 'npm run test:clients does the same'],
  [/^npm install .*http:/, 'installs packages: console/portal.spec.ts'],
  [/^case \$WEBHOOK_TIMESTAMP /, 'is run by receivers.spec.ts'],
  [/^postroom login\b/, 'asks for a key: command-line.spec.ts'],
  [/^postroom events --follow\b/, 'runs until it is ended: command-line.spec.ts'],
];

const reasonOf = ({ text: command }: DocumentedCommand): string | undefined =>
  elsewhere.find(([which]) => which.test(command))?.[1];

/** Results that appear late: a message that has just been sent is found within a second. */
const awaited: readonly (readonly [RegExp, RegExp])[] = [
  [/\/public\/v1\/search/, /"subject":"Hello"/],
];

const commands = documentedCommands();
const run = commands.filter((one) => reasonOf(one) === undefined);

/** Every answer of an error fails the command. */
const functions = `
curl() { command curl --fail-with-body --silent --show-error "$@"; }
npm() { shift 3; node "$POSTROOM_OPERATOR_CLI" "$@"; }
postroom() { node "$POSTROOM_CLI" "$@"; }
`;

const cli = fileURLToPath(new URL('../../postroom/dist/cli.js', import.meta.url));
const commandLine = fileURLToPath(new URL('../../cli/dist/cli.js', import.meta.url));

const missing =
  ['bash', 'curl'].filter((name) => spawnSync(name, ['--version']).error).join(', ') || null;

whereThere({ missing }, describe)('the commands of the pages', () => {
  let folder: string;
  let running: RunningProduct;
  let acme: DemoTenant;
  /** The output of the commands so far, the newest first. */
  const printed: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-pages-'));
    running = await startProduct();
    acme = tenantOf(running.product, 'acme');
    const mail = ['From a@example.com Thu Jan  1 00:00:00 2026', 'From: a@example.com', '', 'Old.'];
    await writeFile(join(folder, 'old.mbox'), `${mail.join('\n')}\n`);
    await writeFile(join(folder, 'mail.html'), '<p>The price list.</p>');
    await writeFile(join(folder, 'a.pdf'), '%PDF-1.7');
  });
  afterAll(async () => {
    await running.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** An id or a token as a command before this one has printed it last. */
  const lastPrinted = (what: RegExp): string => {
    for (const output of printed) {
      const found = what.exec(output);
      if (found) return found[1] ?? found[0];
    }
    throw new Error(`No command before has printed ${what}.`);
  };

  /** With the addresses, keys and ids of this product in place of those of the page. */
  function asRunHere(command: string): string {
    const { baseUrl, smtp } = running.product;
    const { admin } = acme.keys;
    return command
      .replaceAll('http://127.0.0.1:3000', new URL(baseUrl).origin)
      .replaceAll('smtp://127.0.0.1:2525', `smtp://${smtp.host}:${smtp.port}`)
      .replaceAll(/\bURL\b/g, `${baseUrl}/mcp`)
      .replaceAll('pr_human_…', admin)
      .replaceAll(/\bKEY\b/g, admin)
      .replaceAll(/\b(cnv|apr|mbx|drf)_…/g, (_, kind: string) =>
        lastPrinted(new RegExp(`${kind}_[0-9A-Z]{26}`)),
      )
      .replaceAll('"token": "…"', () => `"token": "${lastPrinted(/token=([\w-]+)/)}"`)
      .replaceAll('….sandbox.invalid', () => lastPrinted(/"domain":"([\w.-]+\.sandbox\.invalid)"/))
      .replaceAll('/backup', join(folder, 'backup'));
  }

  async function inShell(command: string, page: string): Promise<CommandResult> {
    const env = productEnvironment({
      POSTROOM_API_KEY: acme.keys[page === 'docs/agents.md' ? 'agent' : 'admin'],
      POSTROOM_CLI: commandLine,
      POSTROOM_CONFIG: join(folder, 'postroom.json'),
      POSTROOM_OPERATOR_CLI: cli,
      POSTROOM_URL: running.product.baseUrl,
      POSTROOM_DATA_DIR: dirname(running.demoFile),
      POSTROOM_PASSWORD: (command.includes(acme.admin.email) ? acme.admin : acme.member).password,
      POSTROOM_SESSION_FILE: join(folder, 'sessions.json'),
    });
    const child = spawn('bash', ['-euo', 'pipefail', '-c', functions + command], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    return { code: child.exitCode, stdout, stderr };
  }

  const cases = run.map(({ page, text: one }) => [page, one.replaceAll(/\s+/g, ' '), one]);
  it.each(cases)('%s: %s', async (page = '', _title, command = '') => {
    const wanted = awaited.find(([which]) => which.test(command))?.[1] ?? /(?:)/;
    const endMs = Date.now() + 240_000;
    let result: CommandResult;
    do {
      result = await inShell(asRunHere(command), page);
      await sleep(50);
    } while (!wanted.test(result.stdout) && Date.now() < endMs);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(wanted) });
    // Ids of a sandbox are not those of the workspace that the other commands are about.
    if (!command.includes('-b sandbox')) printed.unshift(result.stdout);
  });
});

describe('a list of reasons', () => {
  it('names no command that no page has', () => {
    const unused = elsewhere.filter(
      ([which]) => !commands.some(({ text: one }) => which.test(one)),
    );
    expect(unused).toEqual([]);
    expect(run.length).toBeGreaterThan(20);
  });
});

describe('a command in a sentence', () => {
  const { stdout: usage } = spawnSync(process.execPath, [cli, 'help'], { encoding: 'utf8' });
  const usages = usage.split(/^ {2}(?=postroom )/m).slice(1);
  const manifest = readFileSync(join(repository, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { readonly scripts: object };
  const known = ['ci', 'install', ...Object.keys(scripts)];

  it.each(mentionedCommands().map((one) => [one.page, one.text]))(
    '%s: %s is there',
    (_page, command) => {
      const [, script] = /^npm (?:run )?([\w:]+)/.exec(command) ?? [];
      if (script !== undefined) expect(known).toContain(script);
      const [, own] = /^(?:npm run postroom --|postroom) (.+)/.exec(command) ?? [];
      if (own === undefined) return;
      const isOfApi = !command.startsWith('npm') && isOfCommandLine(own);
      expect(isOfApi || usages.some((one) => isOf(own, one))).toBe(true);
    },
  );
});

/** True if the command line of the public API has a command and its options: it completes each of them. */
function isOfCommandLine(command: string): boolean {
  const words = wordsOf(command);
  const options = (command.match(/--[a-z-]+/g) ?? []).filter((option) => option !== '--help');
  return [words, ...options.map((option) => [...words, option])].every((typed) => {
    const args = [commandLine, 'complete', '--', ...typed];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return stdout.split('\n').includes(typed.at(-1) ?? '');
  });
}

const wordsOf = (command: string): string[] =>
  /^(?:[a-z][a-z-]*\s)*/.exec(`${command} `)?.[0].trim().split(' ') ?? [];

/** True if a usage is that of a command: the same words, as far as both have some, and all its options. */
function isOf(command: string, usage: string): boolean {
  const asked = wordsOf(command);
  const isNamed = wordsOf(usage.replace('postroom ', '').replace(/\n[^]*/, '')).every(
    (word, at) => asked[at] === undefined || asked[at] === word,
  );
  return isNamed && (command.match(/--[a-z-]+/g) ?? []).every((option) => usage.includes(option));
}
