// tags: mcp
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Workplace } from '../workplace.js';
import { pinned } from './conformance-pins.js';
import { keyProxy } from './key-proxy.js';
import { officialPackages } from './official-packages.js';
import { run } from './official-program.js';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

describe('the conformance suite of MCP', () => {
  let folder: string;
  let results: string;
  let url: string;
  let key: string;

  beforeAll(async () => {
    folder = officialPackages('clients');
    results = mkdtempSync(join(tmpdir(), 'postroom-conformance-'));
    const workplace = await Workplace.open('acme');
    const scopes = ['read:conversations', 'drafts:write'] as const;
    const agent = { kind: 'agent', approval: 'required', scopes } as const;
    ({ key } = await workplace.keyFor(await workplace.mailbox(), agent));
    url = `${workplace.product.baseUrl}/mcp`;
  });
  afterAll(() => {
    rmSync(results, { recursive: true });
  });

  /** The checks of each scenario, as the suite writes them. */
  const checksIn = (path: string) =>
    readdirSync(path).flatMap((name) => {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
      const checks = JSON.parse(readFileSync(join(path, name, 'checks.json'), 'utf8')) as Check[];
      return checks.map((check) => ({ ...check, name: `${scenario}: ${check.id}` }));
    });

  it.each([
    [
      '2025-06-18',
      '',
      '@modelcontextprotocol/conformance',
      ['--spec-version', '2025-06-18', '--suite', 'active'],
    ],
    ['2026-07-28', '/latest', 'conformance-2026', ['--requirements', '2026-07-28']],
  ] as const)(
    'of %s passes, but for what is pinned with its reason',
    async (version, path, program, demanded) => {
      const proxy = await keyProxy(url + path, key);
      const output = join(results, version);
      await run(
        process.execPath,
        [
          ...[`node_modules/${program}/dist/index.js`, 'server', '--url', proxy.url],
          ...[...demanded, '--output-dir', output],
        ],
        folder,
      );
      proxy.server.close();
      const checks = checksIn(output);
      const failed = checks.filter(({ status }) => ['FAILURE', 'WARNING'].includes(status));
      const { passes, fails } = pinned[version];
      const names = [...new Set(failed.map(({ name }) => name))].sort();
      expect(names).toEqual(Object.values(fails).flat().sort());
      expect(checks.filter(({ status }) => status === 'SUCCESS')).toHaveLength(passes);
    },
    240_000,
  );

  it('has each reason in docs/mcp.md', () => {
    const docs = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8');
    for (const { fails } of Object.values(pinned))
      for (const reason of Object.keys(fails)) expect(docs).toContain(reason);
  });
});
