import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bounded, composed } from './bounded.mjs';
import { expressions } from './collect.mjs';
import { growth, isProvedLinear, worstInput } from './growth.mjs';

/** The expressions that `test:full` proved linear: a plain run proves only others. */
const goldenFile = new URL('proved.json', import.meta.url);
const provesAll = process.env.HOSTILE === 'full';
/** The time limit of one expression with its worst input. */
const quickMs = 250;

const nameOf = ({ source, flags }) => `/${source}/${flags}`;
const entryOf = ({ file, source }) =>
  bounded.find((one) => one.file === file && source.startsWith(one.source));

let found;
let unread;
let golden;

beforeAll(async () => {
  ({ found, unread } = await expressions());
  golden = new Set(JSON.parse(await readFile(goldenFile, 'utf8').catch(() => '[]')));
});

describe('the expressions of the product', () => {
  it('are all read from the source', () => {
    expect(found.length).toBeGreaterThan(200);
    const known = new Set(Object.keys(composed));
    const rest = unread.filter(({ text }) => !known.has(text));
    expect(rest).toEqual([]);
  });

  it('take linear time, or have an input that is bounded', async () => {
    const others = Object.values(composed).filter((one) => one !== null);
    const all = new Map(
      [...found, ...others.map(([source, flags]) => ({ file: 'composed', source, flags }))]
        .filter((one) => entryOf(one) === undefined)
        .map((one) => [nameOf(one), one]),
    );
    const wrong = [];
    const proved = [];
    for (const [name, one] of all) {
      const result = !provesAll && golden.has(name) ? null : await growth(one);
      if (result === null) proved.push(name);
      else wrong.push({ file: one.file, name, ...result, attack: result.attack?.pattern });
    }
    expect(wrong).toEqual([]);
    if (process.env.UPDATE_GOLDENS)
      await writeFile(goldenFile, `${JSON.stringify(proved.sort(), null, 2)}\n`);
  }, 600_000);

  it('that grow faster are quick with the worst input that they can be given', async () => {
    for (const entry of bounded) {
      const one = found.find((each) => entryOf(each) === entry);
      if (one === undefined) throw new Error(`no such expression: ${JSON.stringify(entry)}`);
      // One that is proved linear needs no entry.
      const isNeeded = !provesAll || !(await isProvedLinear(one));
      expect({ ...entry, isNeeded }).toMatchObject({ isNeeded: true });
      const input = worstInput(entry.worst, entry.unitsMax);
      const before = process.cpuUsage();
      input.match(new RegExp(one.source, one.flags));
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(quickMs);
    }
  }, 600_000);

  it('would be found if one took quadratic time', async () => {
    const quadratic = await growth({ source: String.raw`"(?:[^"\\]|\\.)*"`, flags: 'g' });
    expect(quadratic).toMatchObject({ status: 'vulnerable' });
    const slow = new RegExp(String.raw`"(?:[^"\\]|\\.)*"`, 'g');
    const timeOf = (unitsMax) => {
      const input = worstInput(quadratic.attack.pumps[0], unitsMax);
      const before = process.cpuUsage();
      input.match(slow);
      return process.cpuUsage(before).user;
    };
    timeOf(1_000);
    expect(timeOf(32_000)).toBeGreaterThan(timeOf(4_000) * 8 * 2);
  });
});
