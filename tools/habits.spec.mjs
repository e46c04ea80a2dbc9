import { access, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './run/child.mjs';
import { fragmentIn, sqlComments } from './walls/whole-sentences.mjs';

const read = (path) => readFile(join(root, path), 'utf8');
const apps = Object.keys(parse(await read('k8s/files/services.yaml')).apps);

it('every service has an owner and a tag of its own', async () => {
  const owners = await read('.github/CODEOWNERS');
  const owned = [...owners.matchAll(/^(\/\S+)\s+@\S+/gm)].map(([, path]) => path);
  for (const path of owned) await access(join(root, path));
  for (const app of apps) {
    expect(owned).toContain(`/apps/${app}/`);
    const { nx } = JSON.parse(await read(`apps/${app}/package.json`));
    expect(nx.tags).toEqual(['room:app', `service:${app}`]);
  }
});

const commandsOf = ({ jobs, ...rest }) =>
  Object.values(jobs ?? rest).flatMap((job) => [
    ...(job.steps ?? []).flatMap(({ run }) => run ?? []),
    ...(job.script ?? []),
  ]);

it('hosted CI runs the commands of the project, and no others', async () => {
  const { scripts } = JSON.parse(await read('package.json'));
  const workflows = await Array.fromAsync(glob('.github/workflows/*.yaml', { cwd: root }));
  expect(workflows.length).toBeGreaterThan(0);
  for (const path of [...workflows, '.gitlab-ci.yml']) {
    for (const command of commandsOf(parse(await read(path)))) {
      const [, script] = /^npm run ([\w:]+)/.exec(command) ?? [];
      const known = /^(?:[.]ci\/run|npm ci|npx nx affected -t lint test e2e .*)$/;
      expect(script ? script in scripts : known.test(command)).toBe(true);
    }
  }
});

it('the changelog names the commit of the first release, and the version is under a licence', async () => {
  expect(await read('CHANGELOG.md')).toMatch(/^## 0\.1\.0\n\nCommit [0-9a-f]{40}\./m);
  const { license } = JSON.parse(await read('package.json'));
  expect([license, await read('LICENSE')]).toEqual([
    'Apache-2.0',
    expect.stringContaining('Apache License'),
  ]);
});

it('an approver is shown a body as HTML if and only if it leaves as HTML', async () => {
  const rule = /^const elements =[\s\S]*?^const tag = .*$/m;
  const [made] = rule.exec(await read('libs/mime/src/composing/signed-body.ts')) ?? [];
  const [shown] =
    rule.exec(await read('apps/console/src/approvals/request/readable-mail.ts')) ?? [];
  expect(made).toContain('doctype');
  expect(shown).toBe(made);
});

it('comments of SQL files are whole sentences', async () => {
  const files = await Array.fromAsync(glob('{apps,libs}/*/src/**/*.sql', { cwd: root }));
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) {
    const fragments = sqlComments(await read(path)).filter((text) => fragmentIn(text));
    expect({ path, fragments }).toEqual({ path, fragments: [] });
  }
});
