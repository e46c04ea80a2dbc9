import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import { languageServer } from './language-server.mjs';

const boundaries = '@nx/enforce-module-boundaries';
const typed = languageServer({ typeAware: true });
// Files that are not on disk have no types to check.
const untyped = languageServer({ typeAware: false });

const refusals = (path, text, server = untyped) => server.refusals(path, text);

const lines = (count) => '// It is long.\n'.repeat(count);
const contract = (imports, decorators) =>
  `${imports}\nexport class Thing {\n  ${decorators}\n  name!: string;\n}\n`;

beforeAll(async () => {
  const nx = join(root, 'node_modules/.bin/nx');
  const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
  await promisify(execFile)(process.execPath, [nx, 'show', 'projects'], { cwd: root, env });
  await Promise.all([typed.start(), untyped.start()]);
});

afterAll(() => {
  typed.stop();
  untyped.stop();
});

describe('between the rooms', () => {
  it.each([
    ['contracts', 'libs/contracts', '@postroom/bus'],
    ['contracts', 'libs/contracts', '@nestjs/common'],
    ['contracts', 'libs/contracts', 'typeorm'],
    ['contracts', 'libs/contracts', 'pg'],
    ['contracts', 'libs/contracts', 'kafkajs'],
    ['contracts', 'libs/contracts', 'fastify'],
    ['concurrency', 'libs/concurrency', '@postroom/contracts'],
    ['limits', 'libs/limits', '@postroom/concurrency'],
    ['bus', 'libs/bus', '@postroom/persistence'],
    ['bus', 'libs/bus', 'pg'],
    ['bus', 'libs/bus', 'typeorm'],
    ['persistence', 'libs/persistence', '@postroom/bus'],
    ['persistence', 'libs/persistence', 'kafkajs'],
    ['access', 'libs/access', '@postroom/service'],
    ['service', 'libs/service', '@postroom/access'],
    ['mime', 'libs/mime', '@postroom/persistence'],
    ['mime', 'libs/mime', '@nestjs/common'],
    ['formats', 'libs/formats', '@postroom/contracts'],
    ['operations', 'libs/operations', '@postroom/mail'],
    ['operations', 'libs/operations', '@postroom/local'],
    ['bus', 'libs/bus', '@postroom/local'],
    ['local', 'libs/local', '@postroom/bus'],
    ['testing', 'libs/testing', '@postroom/gateway'],
    ['a service app', 'apps/gateway', '@postroom/mail'],
    ['a service app', 'apps/mail', '@postroom/local'],
    ['a service app', 'apps/mail', '@postroom/postroom'],
    ['the launcher', 'apps/postroom', '@postroom/bench'],
    ['the end-to-end suite', 'apps/e2e', '@postroom/mail'],
    ['every room', 'apps/mail', '../../gateway/src/index.js'],
    ['every room', 'apps/mail', 'a-package-nobody-declared'],
  ])('%s (%s) is refused %s', async (_room, folder, imported) => {
    const found = await refusals(`${folder}/src/index.ts`, `import '${imported}';\n`);
    expect(found).toEqual([boundaries]);
  });

  it.each([
    ['testing', 'libs/operations'],
    ['testing', 'apps/mail'],
    ['testing', 'apps/postroom'],
    ['local', 'libs/persistence'],
    ['local', 'apps/mail'],
  ])(
    'the library %s is refused to the sources of %s, not to its specs',
    async (library, folder) => {
      const text = `import '@postroom/${library}';\n`;
      expect(await refusals(`${folder}/src/send.ts`, text)).toEqual([boundaries]);
      expect(await refusals(`${folder}/src/send.spec.ts`, text)).toEqual([]);
    },
  );

  it.each([
    ['libs/bus', '@postroom/contracts'],
    ['libs/operations', '@postroom/persistence'],
    ['libs/testing', '@postroom/persistence'],
    ['apps/mail', '@postroom/operations'],
    ['apps/postroom', '@postroom/gateway'],
    ['apps/postroom', '@postroom/local'],
    ['libs/testing', '@postroom/local'],
    ['apps/bench', '@postroom/mail'],
    ['apps/e2e', '@postroom/testing'],
  ])('%s may import %s', async (folder, imported) => {
    expect(await refusals(`${folder}/src/index.ts`, `import '${imported}';\n`)).toEqual([]);
  });
});

describe('in contracts', () => {
  const file = 'libs/contracts/src/things/thing.ts';
  const fields = (names) => `import { ${names} } from '../fields/index.js';`;
  const rule = 'postroom/field-decorators';

  it.each([
    ['one of the fields', fields('Text'), "@Text('Its name.')", []],
    ['two of the fields', fields('Id, Text'), "@Id('thi', 'Its id.') @Text('Its name.')", [rule]],
    ['one of its own', 'const Loud = (): PropertyDecorator => () => undefined;', '@Loud()', [rule]],
    ['one of a library', "import { Prop } from 'orm-of-another';", '@Prop()', [boundaries, rule]],
    ['a raw one', '', '@Reflect.metadata(1, 2)', [rule]],
  ])('a property with %s', async (_what, imports, decorators, refused) => {
    expect(await refusals(file, contract(imports, decorators))).toEqual(refused);
  });

  it('only the fields know class-validator', async () => {
    const text = `import 'class-validator';\n`;
    expect(await refusals(file, text)).toEqual(['no-restricted-imports']);
    expect(await refusals('libs/contracts/src/fields/text.ts', text)).toEqual([]);
  });

  it.each(['node:http', 'node:fs/promises', 'net'])('nothing does I/O with %s', async (module) => {
    for (const path of [file, 'libs/contracts/src/fields/text.ts']) {
      expect(await refusals(path, `import '${module}';\n`)).toEqual(['no-restricted-imports']);
    }
  });
});

describe('in every source file', () => {
  const file = 'libs/bus/src/index.ts';

  it('a promise is awaited or handled', async () => {
    const text = 'const work = async () => 1;\nwork();\n';
    expect(await refusals(file, text, typed)).toEqual(['typescript/no-floating-promises']);
  });

  it('a switch over a union is exhaustive', async () => {
    const text =
      "export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      return;\n  }\n}\n";
    const rule = 'typescript/switch-exhaustiveness-check';
    expect(await refusals(file, text, typed)).toEqual([rule]);
  });

  it('nothing is any', async () => {
    const text = 'export const x: any = 1;\n';
    expect(await refusals(file, text)).toEqual(['typescript/no-explicit-any']);
    const unsafe = "export const x: number = JSON.parse('1');\n";
    expect(await refusals(file, unsafe, typed)).toEqual(['typescript/no-unsafe-assignment']);
  });

  it('a hook of React is called in every render', async () => {
    const call = 'export function useRows(none: boolean): void {\n  if (none) useState(1);\n}\n';
    const text = `import { useState } from 'react';\n${call}`;
    expect(await refusals('apps/console/src/rows.tsx', text)).toEqual([
      'react-hooks/rules-of-hooks',
    ]);
  });

  it('complexity stops at 10', async () => {
    const tests = Array.from({ length: 10 }, (_, i) => `  if (n === ${i}) return ${i + 1};\n`);
    const text = `export function f(n: number): number {\n${tests.join('')}  return n;\n}\n`;
    expect(await refusals(file, text)).toEqual(['complexity']);
  });

  it('only the start-up banner writes to the console', async () => {
    const text = "console.log('ready');\n";
    expect(await refusals(file, text)).toEqual(['no-console']);
    expect(await refusals('apps/postroom/src/banner.ts', text)).toEqual([]);
  });

  it('only config.ts and specs read the environment', async () => {
    const text = 'export const port = process.env.PORT;\n';
    expect(await refusals(file, text)).toEqual(['no-restricted-properties']);
    for (const allowed of ['apps/mail/src/config.ts', 'apps/mail/src/ready.spec.ts']) {
      expect(await refusals(allowed, text)).toEqual([]);
    }
  });

  it('a file stops at 400 lines, specs and migrations apart', async () => {
    expect(await refusals(file, lines(401))).toEqual(['max-lines']);
    for (const long of ['apps/mail/src/list.spec.ts', 'apps/mail/src/migrations/0001-start.ts']) {
      expect(await refusals(long, lines(401))).toEqual([]);
    }
  });

  it('a comment does not begin with a fragment', async () => {
    const rule = 'postroom/whole-sentences';
    for (const comment of [
      '// Of what is no invitation there is nothing to say.',
      '/** What a server answered. */',
      '/**\n * Whether it is open. It may be.\n */',
      '// Where it stands.',
      '/** Where a server closes, the client tries again. */',
    ]) {
      expect(await refusals('libs/service/src/log.ts', `${comment}\nexport {};\n`)).toEqual([rule]);
    }
    for (const comment of [
      '// Not an invitation: nothing to report.',
      '/** A client tries again where a server closes. */',
      '/** How many are there? */',
      '// The second line of a comment may begin with any word, such as\n// Which.',
    ]) {
      expect(await refusals('libs/service/src/log.ts', `${comment}\nexport {};\n`)).toEqual([]);
    }
    const inSql = (comment) =>
      refusals('libs/service/src/log.ts', `export const sql = \`\n  ${comment}\n  SELECT 1\`;\n`);
    expect(await inSql('-- Whether it is open.')).toEqual([rule]);
    expect(await inSql('-- Not a fragment,\n  -- Which may follow on a second line.')).toEqual([]);
  });

  it('load is bounded by a limit that has an owner', async () => {
    const rule = 'postroom/owned-limits';
    const imported = "import { SlidingWindow } from '@postroom/limits';\n";
    const made = (rate) =>
      `${imported}export declare const rates: { r: never };\nexport const w = new SlidingWindow(${rate});\n`;
    const limit = (shares) =>
      `import { declareLimits } from '@postroom/limits';\nexport const limits = declareLimits('bus', { one: { ${shares} } });\n`;
    for (const [text, refused] of [
      ['export class SendQueue {}\n', [rule]],
      ['export const f = (running: Set<1>, max: 1) => running.size >= max;\n', []],
      ['export const f = (running: Set<1>, placesMax: 1) => running.size >= placesMax;\n', [rule]],
      ['export const f = (bytes: 1, bytesMax: 1) => bytes > bytesMax;\n', []],
      ["import 'p-queue';\n", [boundaries, rule]],
      [made('5 as never'), [rule]],
      [made('rates.r'), []],
      ['export const triesMax = 10;\n', [rule]],
      ['export const most = { perHour: 10 };\n', [rule]],
      [limit('total: 1'), [rule]],
      [limit('shares: {}'), [rule]],
      [limit('shares: { workspace: 1 }'), []],
    ]) {
      expect([text, await refusals(file, text)]).toEqual([text, refused]);
    }
    for (const [place, inside] of [
      ['libs/limits/src/budget.ts', 'export class SendQueue {}\n'],
      ['libs/bus/src/limits.ts', 'export const most = { perHour: 10 };\n'],
    ])
      expect(await refusals(place, inside)).toEqual([]);
  });

  it('a function stops at 50 lines', async () => {
    const text = `export function f(): void {\n${'  f();\n'.repeat(50)}}\n`;
    expect(await refusals(file, text)).toEqual(['max-lines-per-function']);
  });
});
