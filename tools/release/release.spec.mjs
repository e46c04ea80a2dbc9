import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import { release } from './release.mjs';

const run = async (cwd, ...args) => {
  const { stdout } = await promisify(execFile)('git', args, { cwd, maxBuffer: 2 ** 26 });
  return stdout;
};

describe('npm run release', () => {
  let folder;
  let before;
  const git = (...args) => run(folder, ...args);
  const read = (path) => readFile(join(folder, path), 'utf8');
  const jsonOf = async (path) => JSON.parse(await read(path));

  /** A repository of its own with the files as they are here. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-release-'));
    const files = await run(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
    for (const path of files.split('\0').filter(Boolean)) {
      await cp(join(root, path), join(folder, path), { recursive: true }).catch((error) => {
        // It has been deleted, and that is not committed yet.
        if (error.code !== 'ENOENT') throw error;
      });
    }
    await git('init', '--quiet');
    for (const name of ['name', 'email']) await git('config', `user.${name}`, 'a@example.com');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'chore: all');
    before = (await jsonOf('package.json')).version;
    await edit('CHANGELOG.md', (text) =>
      text.replace(/^## Unreleased\n/m, '## Unreleased\n\n- Something new.\n'),
    );
    await git('commit', '--quiet', '--all', '--message', 'docs: something new');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const edit = async (path, change) => writeFile(join(folder, path), change(await read(path)));
  const refusal = (version) => release(version, folder).catch(({ message }) => message);

  it('changes nothing for a version that is none, or not above the last', async () => {
    for (const version of [undefined, 'next', '99.0', 'v99.0.0', before, '0.0.9']) {
      expect(await refusal(version)).toContain(`${version} is no version above ${before}`);
    }
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('changes nothing over work that is not committed', async () => {
    await appendFile(join(folder, 'README.md'), 'x');
    expect(await refusal('99.0.0')).toContain('changes that are not committed');
    await git('checkout', '--quiet', 'README.md');
    await writeFile(join(folder, 'new.txt'), '');
    expect(await refusal('99.0.0')).toContain('changes that are not committed');
    await rm(join(folder, 'new.txt'));
  });

  it('sets the version everywhere, and nothing else of those files', async () => {
    const notes = await release('99.0.0', folder, '2099-01-31');
    const changed = await git(
      'diff',
      '--unified=0',
      'HEAD~1',
      '--',
      '*.json',
      'k8s',
      ':!*/golden/*',
    );
    const lines = [...changed.matchAll(/^([+-])(?![+-]{2} )(.*)$/gm)];
    const linesOf = (sign) => lines.flatMap(([, one, line]) => (one === sign ? [line] : []));
    expect(linesOf('-').map((line) => line.replace(before, '99.0.0'))).toEqual(linesOf('+'));
    const having = async (version) => {
      const found = await git(
        'grep',
        '-lF',
        `"version": "${version}"`,
        '--',
        '*package.json',
      ).catch(() => '');
      return found.split('\n').filter(Boolean);
    };
    expect(await having(before)).toEqual([]);
    expect((await having('99.0.0')).length).toBeGreaterThan(20);
    expect(linesOf('+')).toEqual(expect.arrayContaining(['version: 99.0.0', 'appVersion: 99.0.0']));
    expect(await git('grep', '-cE', '^ *image: .*:99.0.0$', '--', 'k8s/rendered')).toMatch(/:7\n/);
    const { version, packages } = await jsonOf('package-lock.json');
    expect([version, packages[''].version, packages['apps/mail'].version]).toEqual(
      Array(3).fill('99.0.0'),
    );
    expect(await readFile(notes, 'utf8')).toMatch(/^# postroom 99\.0\.0\n\n- Something new\.\n/);
  });

  it('dates the changelog, whose newest part is empty again', async () => {
    expect(await read('CHANGELOG.md')).toMatch(
      /^## Unreleased\n\n## 99\.0\.0 - 2099-01-31\n\n- Something new\.\n/m,
    );
  });

  it('keeps the contract as it is released, and nothing that the release before had wrong', async () => {
    const kept = 'libs/contracts/src/golden/released';
    expect(await readdir(join(folder, kept))).toEqual(['corrected.json', 'openapi-99.0.0.json']);
    const contract = await jsonOf(`${kept}/openapi-99.0.0.json`);
    expect(contract).toEqual(await jsonOf('libs/contracts/src/golden/openapi.json'));
    expect(Object.keys(contract.paths).length).toBeGreaterThan(30);
    expect(await jsonOf(`${kept}/corrected.json`)).toEqual([]);
  });

  it('commits and tags it, and makes no second one of the same', async () => {
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('log', '-1', '--format=%s %D')).toMatch(
      /^chore: release 99\.0\.0 .*tag: v99\.0\.0/,
    );
    expect(await git('tag', '--list', '--format=%(contents)')).toContain('- Something new.');
    expect(await refusal('99.0.0')).toContain('no version above');
    expect(await refusal('99.0.1')).toContain('says nothing under "Unreleased"');
  });
});
