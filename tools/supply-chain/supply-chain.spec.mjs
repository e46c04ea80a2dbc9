import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import { checkAdvisories } from './check-advisories.mjs';
import { acceptedDaysMax, judge } from './judge.mjs';
import { ofTheLock } from './npm.mjs';
import { shippedFrom } from './shipped.mjs';
import { sbom, writeSbom } from './write-sbom.mjs';

const today = '2026-11-24';
const advisory = 'GHSA-aaaa-bbbb-cccc';
const url = `https://github.com/advisories/${advisory}`;
const via = { source: 1, name: 'left', severity: 'high', title: 'It bites', url, range: '<2.0.0' };
const report = { vulnerabilities: { left: { via: [via] }, user: { via: ['left'] } } };
const entry = { advisory, reason: 'We never call it.', until: today };

describe('an advisory', () => {
  it('is open, and listed once whoever depends on the package', () => {
    expect(judge(report, [], today)).toEqual({
      open: [expect.objectContaining({ advisory, name: 'left', severity: 'high' })],
      accepted: [],
      unused: [],
    });
  });

  it('is accepted up to the last day of its entry, and open on the next', () => {
    expect(judge(report, [entry], today)).toMatchObject({ open: [], accepted: [entry] });
    expect(judge(report, [entry], '2026-11-25').open).toHaveLength(1);
  });

  it('that is no longer there leaves an entry to take out', () => {
    expect(judge({ vulnerabilities: {} }, [entry], today).unused).toEqual([entry]);
  });

  it.each([
    ['without a reason', { reason: '' }],
    ['without an end', { until: undefined }],
    ['until a day that is none', { until: '2026-13-01' }],
    ['by another name', { advisory: 'CVE-2026-1' }],
    [`for more than ${acceptedDaysMax} days`, { until: '2027-06-01' }],
  ])('cannot be accepted %s', (_, change) => {
    expect(() => judge(report, [{ ...entry, ...change }], today)).toThrow('accepted.json');
  });
});

it('accepted.json is what the check takes', async () => {
  const accepted = JSON.parse(
    await readFile(join(root, 'tools/supply-chain/accepted.json'), 'utf8'),
  );
  for (const { until } of accepted) judge(report, accepted, until);
});

describe('npm run check:advisories', () => {
  let folder;
  let registry;
  /** The registry's answer about advisories; null if it does not serve them. */
  let answer;
  const said = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-advisories-'));
    registry = createServer(serve).listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.once('listening', resolve));
    const left = { version: '1.0.0', integrity: `sha512-${Buffer.alloc(64).toString('base64')}` };
    const project = { name: 'x', version: '1.0.0', dependencies: { left: '1.0.0' } };
    const lock = { ...project, lockfileVersion: 3, requires: true };
    lock.packages = { '': project, 'node_modules/left': left };
    const files = { 'package.json': project, 'package-lock.json': lock };
    for (const [name, value] of Object.entries(files))
      await writeFile(join(folder, name), JSON.stringify(value));
    const { port } = registry.address();
    const own = `registry=http://127.0.0.1:${port}/\ncache=${folder}/cache\nfetch-retries=0\n`;
    await writeFile(join(folder, '.npmrc'), own);
  });

  afterAll(async () => {
    registry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function serve(request, response) {
    const json = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method === 'GET')
      return json(200, { name: 'left', versions: { '1.0.0': { name: 'left', version: '1.0.0' } } });
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    return request.on('end', () => {
      const body = Buffer.concat(chunks);
      const asked = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      said.push(asked.toString());
      return answer ? json(200, answer) : json(405, {});
    });
  }

  async function check(given, accepted = []) {
    answer = given;
    said.length = 0;
    const lines = [];
    const args = ['--package-lock-only', '--omit', 'dev'];
    const code = await checkAdvisories({
      ...{ folder, args, accepted, today, say: (line) => lines.push(line) },
    });
    return { code, text: lines.join('\n') };
  }

  it('says that nothing was checked where the registry answers no audit requests', async () => {
    const { code, text } = await check(null);
    expect(code).toBe(2);
    expect(text).toMatch(/NOT CHECKED.*405/);
  });

  it('asks for everything that an installation runs', async () => {
    answer = {};
    said.length = 0;
    const at = ['--registry', `http://127.0.0.1:${registry.address().port}/`];
    const args = [...ofTheLock, '--omit', 'dev', ...at];
    const lines = [];
    const say = (line) => lines.push(line);
    expect(await checkAdvisories({ args, accepted: [], say })).toBe(0);
    expect(lines).toEqual(['✓ advisories: 0 open']);
    const asked = Object.keys(JSON.parse(said.join()));
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(asked).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  });

  it('fails with what the registry knows, unless it is accepted', async () => {
    const known = {
      left: [{ id: 1, url, title: 'It bites', severity: 'high', vulnerable_versions: '<2.0.0' }],
    };
    const found = await check(known);
    expect(found.code).toBe(1);
    expect(found.text).toContain(`${advisory} (high) in left <2.0.0: It bites`);
    const accepted = await check(known, [entry]);
    expect(accepted.code).toBe(0);
    expect(accepted.text).toContain('accepted until 2026-11-24. We never call it.');
  });
});

describe('the SBOM', () => {
  let packages;
  let made;

  beforeAll(async () => {
    ({ packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
    made = await sbom();
  });

  const isOurs = ({ purl }) => purl.startsWith('pkg:npm/%40postroom/');

  it('has what an installation runs, at the versions of the lock file, and no tool of ours', () => {
    const references = made.components.map((one) => one['bom-ref']);
    expect(made.metadata.component).toMatchObject({ name: 'postroom', type: 'application' });
    for (const name of Object.keys(packages[''].dependencies))
      expect(references).toContain(`${name}@${packages[`node_modules/${name}`].version}`);
    const tools = /^(?:jest|oxfmt|oxlint|nx|typescript|svix|@postroom.(?:bench|e2e|testing))@/;
    expect(references.filter((one) => tools.test(one))).toEqual([]);
  });

  it('has every package that one of them needs', () => {
    expect(made.components.map((one) => one['bom-ref']).sort()).toEqual(
      [...shippedFrom(packages, 'apps/postroom')].sort(),
    );
  });

  it('has the hash of what others made', () => {
    const outside = made.components.filter((one) => !isOurs(one));
    expect(outside.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512')).toEqual([]);
  });

  it('is written under the name of its version', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-sbom-'));
    const { path } = await writeSbom(made, folder);
    expect(path).toMatch(/postroom-\d+\.\d+\.\d+\.cdx\.json$/);
    expect(JSON.parse(await readFile(path, 'utf8')).bomFormat).toBe('CycloneDX');
    await rm(folder, { recursive: true });
  });
});

it('base images and actions of others are named by digest', async () => {
  const workflows = (await readdir(join(root, '.github/workflows'))).map(
    (name) => `.github/workflows/${name}`,
  );
  const files = ['docker/Dockerfile', ...workflows];
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), 'utf8')));
  const named = texts.flatMap((text) => [
    ...text.matchAll(/^\s*(?:- )?(?:uses: |FROM |ARG \w+_IMAGE=)(\S+)/gm),
  ]);
  const others = named.map(([, name]) => name).filter((name) => !name.startsWith('${'));
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter((name) => !/@(sha256:[0-9a-f]{64}|[0-9a-f]{40})$/.test(name))).toEqual([]);
});
