import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './run/child.mjs';

const read = (path) => readFile(join(root, path), 'utf8');
const documents = ['SECURITY.md', 'docs/asvs.md', 'docs/threat-model.md'];

const folders = ['.ci', 'apps', 'docker', 'docs', 'k8s', 'libs', 'tools'];
/** Paths from the root, as code. */
const named = new RegExp(`\`((?:${folders.join('|').replaceAll('.', '\\.')})/[^\`\\s]+)\``, 'g');
/** Relative ones, as links. */
const linked = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g;

const isThere = (path) =>
  access(join(root, path)).then(
    () => true,
    () => false,
  );

describe.each(documents)('%s', (document) => {
  it('names no path that does not exist', async () => {
    const text = await read(document);
    const paths = [
      ...[...text.matchAll(named)].map(([, path]) => path),
      ...[...text.matchAll(linked)].map(([, path]) => join(dirname(document), path)),
    ];
    expect(paths.length).toBeGreaterThan(3);
    const missing = [];
    for (const path of new Set(paths)) if (!(await isThere(path))) missing.push(path);
    expect(missing).toEqual([]);
  });

  it('names commands of the project, and no others', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const commands = [...(await read(document)).matchAll(/npm run ([\w:]+)/g)];
    expect(commands.map(([, name]) => name).filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Requirements of levels 1 and 2 in each chapter of ASVS 5.0.0. */
const counted = {
  V1: [8, 19],
  V2: [4, 7],
  V3: [8, 11],
  V4: [2, 8],
  V5: [4, 5],
  V6: [13, 22],
  V7: [6, 12],
  V8: [4, 3],
  V9: [4, 3],
  V10: [5, 24],
  V11: [3, 11],
  V12: [3, 6],
  V13: [1, 12],
  V14: [2, 7],
  V15: [3, 10],
  V16: [0, 16],
  V17: [0, 7],
};
const states = ['met', 'built', 'partly', 'open', 'operator', 'n/a', 'not verified'];

describe('the list of ASVS 5.0', () => {
  const rows = async () =>
    [...(await read('docs/asvs.md')).matchAll(/^\| (V[\d.]+) +\|(.*)\|$/gm)].map(
      ([, number, rest]) => {
        const [level, asks, state, where] = rest.split('|').map((cell) => cell.trim());
        return { number, level: Number(level), asks, state, where };
      },
    );
  const chapterOf = ({ number }) => number.split('.')[0];
  const placeOf = ({ number }) => number.slice(1).split('.').map(Number);

  it('has each requirement of levels 1 and 2 once, in order', async () => {
    const found = await rows();
    const byChapter = {};
    for (const row of found) {
      const levels = (byChapter[chapterOf(row)] ??= [0, 0]);
      levels[row.level - 1] += 1;
    }
    expect(byChapter).toEqual(counted);
    for (const [index, row] of found.slice(1).entries()) {
      const [a, b] = [placeOf(found[index]), placeOf(row)];
      const at = a.findIndex((one, place) => one !== b[place]);
      expect([row.number, b[at] > a[at]]).toEqual([row.number, true]);
    }
  });

  it('has a known state and a reason for each', async () => {
    const faults = (await rows()).filter(
      ({ asks, state, where }) => !states.includes(state) || asks === '' || where === '',
    );
    expect(faults).toEqual([]);
  });

  it('names a spec or a document for each that is met', async () => {
    const proof = /\.spec\.(?:ts|mjs)`|\]\(/;
    const met = (await rows()).filter(({ state }) => state === 'met');
    expect(met.filter(({ where }) => !proof.test(where))).toEqual([]);
  });

  it('counts its states as they are', async () => {
    const text = await read('docs/asvs.md');
    const found = await rows();
    for (const state of states) {
      const of = [1, 2].map(
        (level) => found.filter((row) => row.state === state && row.level === level).length,
      );
      const told = new RegExp(`^\\| ${state} +\\| (\\d+) +\\| (\\d+) +\\|$`, 'm').exec(text);
      expect([state, Number(told?.[1]), Number(told?.[2])]).toEqual([state, ...of]);
    }
  });
});
