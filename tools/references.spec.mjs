import { glob, readFile, access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from './run/child.mjs';

const sources =
  '{*.{md,mjs},{apps,libs,tools}/**/*.{ts,mjs,md,sql},docs/**/*.md,docker/{Dockerfile,*.yaml}}';
const ignored = /(^|\/)(node_modules|dist|out-tsc|golden|spec)(\/|$)/;

async function* texts() {
  for await (const file of glob(sources, { cwd: root, exclude: (path) => ignored.test(path) }))
    yield { file, text: await readFile(join(root, file), 'utf8') };
}

/** The first group of every match, in a line with the file that has it. */
async function cited(pattern, inFile = /./) {
  const found = [];
  for await (const { file, text } of texts())
    if (inFile.test(file))
      for (const [, target] of text.matchAll(pattern)) found.push({ file, target });
  expect(found.length).toBeGreaterThan(0);
  return found;
}

const numberOfAdr = (name) => Number(name.slice(0, 4));

it('cites only decision records that there are', async () => {
  const records = await Array.fromAsync(glob('*.md', { cwd: join(root, 'docs/adr') }));
  const numbers = new Set(records.map(numberOfAdr));
  expect(numbers.size).toBe(records.length);
  const dangling = (await cited(/(?:docs\/adr\/|\bADR[ \n])(\d+)/g)).filter(
    ({ target }) => !numbers.has(Number(target)),
  );
  expect(dangling).toEqual([]);
});

it('links only to files that there are', async () => {
  const links = await cited(/\]\((?![a-z]+:|#)([^)#\s]+)/g, /\.md$/);
  const missing = [];
  for (const { file, target } of links)
    await access(join(root, dirname(file), target)).catch(() => missing.push({ file, target }));
  expect(missing).toEqual([]);
});

it.each(['decisions', 'public-api'])(
  'cites only sections of %s.md that there are',
  async (name) => {
    const specification = await readFile(join(root, `docs/spec/${name}.md`), 'utf8');
    const numbers = new Set(
      [...specification.matchAll(/^## (\d+)\./gm)].map(([, number]) => number),
    );
    const sections = await cited(new RegExp(`${name}\\.md\`?[,*/\\s]*§(\\d+)`, 'g'));
    expect(sections.filter(({ target }) => !numbers.has(target))).toEqual([]);
  },
);
