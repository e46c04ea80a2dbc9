import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signatureHeaders, webhookSecret } from '@postroom/contracts';
import { pythonWith, whereThere } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';

const documentation = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const outside = pythonWith(['standardwebhooks==1.0.1']);

/** The programs of the documentation, and how each is run. */
const languages = {
  ts: { file: 'verify.ts', run: (file: string) => [process.execPath, file] },
  python: { file: 'verify.py', run: (file: string) => ['python3', file] },
  go: { file: 'verify.go', run: (file: string) => ['go', 'run', file] },
  java: { file: 'Verify.java', run: (file: string) => ['java', file] },
  sh: { file: 'verify.sh', run: (file: string) => ['sh', file] },
} as const;

const tools = { ts: 'node', python: 'python3', go: 'go', java: 'java', sh: 'openssl' } as const;
const isHere = (tool: string): boolean => spawnSync('which', [tool]).status === 0;

const [secret, other] = [1, 2].map((byte) => webhookSecret(Buffer.alloc(32, byte))) as [
  string,
  string,
];
const body = Buffer.from('{"id":"evn_1","text":"Été à l’œuvre","n":1.0}');

describe('the programs of docs/webhooks.md', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'postroom-receivers-'));
    for (const [language, { file }] of Object.entries(languages)) {
      const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(documentation)?.[1];
      writeFileSync(join(folder, file), code ?? '');
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Has a program verify a delivery that was signed with some secrets; it fails by no error of its own. */
  const accepts = (
    language: keyof typeof languages,
    given: { by: readonly string[]; sent?: Buffer; ageMs?: number; told?: string },
  ): boolean => {
    const { by, sent = body, ageMs = 0, told } = given;
    const timestamp = Math.floor((Date.now() - ageMs) / 1000);
    const headers = signatureHeaders({ id: 'evn_1', timestamp, body }, by);
    const { file, run } = languages[language];
    const [program = '', ...args] = run(join(folder, file));
    const { status, stderr } = spawnSync(program, args, {
      input: sent,
      env: {
        ...process.env,
        NODE_OPTIONS: '--no-warnings',
        WEBHOOK_ID: headers['webhook-id'],
        WEBHOOK_TIMESTAMP: told ?? headers['webhook-timestamp'],
        WEBHOOK_SIGNATURE: headers['webhook-signature'],
        WEBHOOK_SECRET: secret,
      },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).not.toMatch(/Error|Exception|panic|arithmetic/);
    return status === 0;
  };

  for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
    const tool = tools[language];
    // These compile their programs first.
    const isLeftOut = (tool === 'go' || tool === 'java') && !isFullRun();
    const missing = isLeftOut ? 'npm run test:full runs it' : isHere(tool) ? null : tool;
    const itIfHere = whereThere({ missing }, it);
    itIfHere(`accept what is ours, and nothing else: ${language}`, () => {
      expect({
        ours: accepts(language, { by: [secret] }),
        rotated: accepts(language, { by: [other, secret] }),
        anotherSecret: accepts(language, { by: [other] }),
        anotherBody: accepts(language, {
          by: [secret],
          sent: Buffer.concat([body, Buffer.from(' ')]),
        }),
      }).toEqual({ ours: true, rotated: true, anotherSecret: false, anotherBody: false });
    });

    itIfHere(`refuse what is old, or tells no time: ${language}`, () => {
      expect(accepts(language, { by: [secret], ageMs: 600_000 })).toBe(false);
      expect(accepts(language, { by: [secret], told: 'today' })).toBe(false);
    });
  }

  whereThere(outside, it)(
    'agree with standardwebhooks of PyPI',
    () => {
      const timestamp = Math.floor(Date.now() / 1000);
      const verify = (by: string): number | null => {
        const headers = JSON.stringify(signatureHeaders({ id: 'evn_1', timestamp, body }, [by]));
        const code = `import json,sys
from standardwebhooks.webhooks import Webhook
Webhook(sys.argv[1]).verify(sys.stdin.buffer.read(), json.loads(sys.argv[2]))`;
        const args = ['-c', code, secret, headers];
        return spawnSync('python3', args, { input: body, env: outside.env }).status;
      };
      expect([verify(secret), verify(other)]).toEqual([0, 1]);
    },
    60_000,
  );

  it('are about the same HMAC as openssl’s', () => {
    const { stdout } = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-hex'], {
      input: body,
    });
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    expect(stdout.toString().trim().endsWith(hex)).toBe(true);
  });
});
