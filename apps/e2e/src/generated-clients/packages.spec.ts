// tags: clients
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { officialPackages } from '../mcp-clients/official-packages.js';
import { ran } from './generators.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const archive = (name: string): string => `postroom-${name}-${version}.tgz`;
const packages = { 'libs/sdk': /^dist\/\w+(\.d)?\.[jt]s$/, 'apps/cli': /^dist\/[\w-]+\.js$/ };

describe('the packages of integrators', () => {
  let folder: string;
  let programs: string;

  beforeAll(() => {
    programs = officialPackages('generators');
    folder = mkdtempSync(join(tmpdir(), 'postroom-packages-'));
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(packages))('%s has its build, README and licence alone', (path, built) => {
    const packed = ran(join(root, path), 'npm', 'pack', '--json', '--pack-destination', folder);
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const others = files.map((file) => file.path).filter((file) => !built.test(file));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it('the client has types wherever modules are resolved', () => {
    const attw = join(programs, 'node_modules/.bin/attw');
    expect(() => ran(folder, attw, '--profile', 'esm-only', archive('sdk'))).not.toThrow();
  });

  it.each(['sdk', 'cli'])('%s is packed as package managers expect', (name) => {
    const publint = join(programs, 'node_modules/.bin/publint');
    expect(() => ran(folder, publint, 'run', '--strict', archive(name))).not.toThrow();
  });

  it.each([
    ['5.9', 'nodenext', 'nodenext'],
    ['5.9', 'esnext', 'bundler'],
    ['6', 'nodenext', 'nodenext'],
  ])(
    'a program compiles with it: TypeScript %s, %s, %s',
    (typescript, module, moduleResolution) => {
      const installed = join(folder, 'node_modules/@postroom/sdk');
      mkdirSync(installed, { recursive: true });
      ran(installed, 'tar', 'xzf', join(folder, archive('sdk')), '--strip-components', '1');
      const options = {
        ...{ module, moduleResolution, target: 'es2022', noEmit: true, strict: true, types: [] },
        ...{ exactOptionalPropertyTypes: true, lib: ['es2022', 'dom', 'dom.asynciterable'] },
      };
      const config = { compilerOptions: options, files: ['sdk.mts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      copyFileSync(join(root, 'apps/e2e/generators/sdk.mts'), join(folder, 'sdk.mts'));
      const compiler = join(
        typescript === '6' ? root : programs,
        'node_modules/typescript/bin/tsc',
      );
      expect(() => ran(folder, process.execPath, compiler, '-p', '.')).not.toThrow();
    },
  );
});
