// tags: clients
import { randomUUID } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { whereThere } from '@postroom/testing';
import { openBrowser } from '../console/browser.js';
import { repository } from '../documented-commands.js';
import { officialPackages } from '../mcp-clients/official-packages.js';
import { senderFor } from '../sending.js';
import { type OwnKey, Workplace } from '../workplace.js';
import { breakingChanges, comparerMissing, generatedClients, linters, ran } from './generators.js';

const documents = {
  'public.json': '/public/openapi.json',
  'settings.json': '/settings/openapi.json',
};
/** The document of the release before; `npm run release` replaces it. */
const [released = ''] = globSync(
  fileURLToPath(
    new URL('../../../../libs/contracts/src/golden/released/openapi-*.json', import.meta.url),
  ),
);
const generatingMaxMs = 600_000;

describe('the published documents', () => {
  const folders: string[] = [];
  const texts = new Map<string, string>();
  let packages: string;
  let workplace: Workplace;
  let mailbox: string;
  let sender: OwnKey;

  /** A folder of its own with the programs and the documents. */
  const folderOf = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-generated-'));
    folders.push(folder);
    const isProgram = (path: string): boolean => basename(path) !== 'node_modules';
    cpSync(packages, folder, { recursive: true, filter: isProgram });
    symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
    for (const [name, text] of texts) writeFileSync(join(folder, name), text);
    return folder;
  };

  beforeAll(async () => {
    packages = officialPackages('generators');
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    sender = await senderFor(workplace, mailbox);
    for (const [name, path] of Object.entries(documents)) {
      const answer = await fetch(new URL(path, workplace.product.baseUrl));
      texts.set(name, await answer.text());
    }
  }, generatingMaxMs);

  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  describe.each(Object.entries(linters))('%s', (_name, lint) => {
    it.each(Object.keys(documents))('has no complaint about %s', (name) => {
      const folder = folderOf();
      expect(() => lint(folder, name)).not.toThrow();
    });
  });

  whereThere({ missing: comparerMissing }, it)(
    'break no client of the last release, by oasdiff',
    () => {
      const folder = folderOf();
      expect(() => breakingChanges(folder, released, 'public.json')).not.toThrow();
      const without = JSON.parse(texts.get('public.json') ?? '') as { paths: object };
      delete (without.paths as Record<string, unknown>)['/v1/me'];
      writeFileSync(join(folder, 'without.json'), JSON.stringify(without));
      expect(() => breakingChanges(folder, released, 'without.json')).toThrow(
        /GET \/v1\/me .*removed/,
      );
    },
    generatingMaxMs,
  );

  it('are called by @postroom/sdk in a browser', async () => {
    const browser = await openBrowser();
    // The page is the deployment's own, whose policy allows no program of others.
    const page = await browser.newPage({ bypassCSP: true });
    await page.route('**/sdk/*', (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      const isProgram = name === 'sdk-send.mjs';
      const path = join(isProgram ? packages : join(repository, 'libs/sdk/dist'), name);
      return route.fulfill({ path, contentType: 'text/javascript' });
    });
    await page.goto(new URL('/docs', workplace.product.settingsUrl).href);
    const subject = `In a browser ${randomUUID()}`;
    const to = 'camille@correspondent.example';
    const given = ['/sdk/index.js', workplace.product.baseUrl, sender.key, mailbox, to, subject];
    const script = `import('/sdk/sdk-send.mjs').then(({ sent }) => sent(...${JSON.stringify(given)}))`;
    expect(await page.evaluate(script)).toEqual([[to], subject]);
    await browser.close();
  });

  for (const { name, missing, make } of generatedClients) {
    whereThere({ missing }, it)(
      `give a client that sends and reads back, by ${name}`,
      () => {
        const folder = folderOf();
        const [command = '', ...args] = make(folder);
        const base = workplace.product.baseUrl;
        const to = 'camille@correspondent.example';
        const subject = `Generated ${randomUUID()}`;
        const given = [base, sender.key, mailbox, to, subject];
        const output = ran(folder, command, ...args, ...given);
        expect(JSON.parse(output)).toEqual([[to], subject]);
      },
      generatingMaxMs,
    );
  }
});
