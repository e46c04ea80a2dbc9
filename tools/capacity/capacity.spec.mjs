import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import {
  comment,
  connections,
  cores,
  growth,
  growthOf,
  list,
  points,
  quiet,
  stations,
} from './measured.mjs';
import { Machine } from './simulate.mjs';

const seed = 1;
const machine = (of, on = cores) => new Machine({ cores: on, stations: of, seed });
const at = (sorted, share) => sorted[Math.floor(sorted.length * share)];

describe('the simulation', () => {
  it('is the same for a seed, and another for another', () => {
    const once = machine(list).latencies(200, 500);
    expect(machine(list).latencies(200, 500)).toEqual(once);
    expect(new Machine({ cores, stations: list, seed: 2 }).latencies(200, 500)).not.toEqual(once);
  });

  it('waits as queueing theory says of one place (M/M/1)', () => {
    const times = machine([{ places: 1, cpuMs: 1 }]).latencies(500, 200_000);
    const mean = times.reduce((sum, one) => sum + one, 0) / times.length;
    expect(mean).toBeGreaterThan(1.9);
    expect(mean).toBeLessThan(2.1);
  });

  it('serves as many as its cores can, and no more, whatever the clients', () => {
    const perSecond = machine(stations(1, 1), 1).throughput(64, 50);
    expect(perSecond).toBeGreaterThan(480);
    expect(perSecond).toBeLessThan(520);
  });

  it('is held by the thread however many cores there are', () => {
    const perSecond = machine(list, 16).throughput(64, 20);
    expect(perSecond).toBeGreaterThan(1_500);
    expect(perSecond).toBeLessThan(1_000 / list[0].cpuMs + 30);
  });
});

describe('what was measured', () => {
  it.each(points)('is simulated within 20 per cent: $what', ({ perSecond, stations: of }) => {
    const simulated = machine(of).throughput(connections, 20);
    expect(Math.abs(simulated / perSecond - 1)).toBeLessThan(0.2);
  });

  it.each(growth)('is predicted within 20 per cent: $conversations conversations', (measured) => {
    const { conversations, ...ratios } = measured;
    for (const [name, ratio] of Object.entries(ratios))
      expect([name, Math.abs(growthOf(name, conversations) / ratio - 1) < 0.2]).toEqual([
        name,
        true,
      ]);
  });

  it('is simulated within 20 per cent: p99 of the list in quiet', () => {
    const p99 = at(machine(list).latencies(quiet.perSecond, 20_000), 0.99);
    const [least, most] = quiet.p99Ms;
    expect(p99).toBeGreaterThan(0.8 * most);
    expect(p99).toBeLessThan(1.2 * least);
  });
});

describe('docs/scaling.md', () => {
  let text;
  beforeAll(async () => {
    text = await readFile(join(root, 'docs/scaling.md'), 'utf8');
  });
  const number = (given) => Number(given.replaceAll(',', ''));

  it('has the figures of the simulation beside those of the bench', () => {
    for (const { what, perSecond, stations: of } of points) {
      const row = new RegExp(`^\\| ${what} +\\| ([\\d,]+) +\\| ([\\d,]+) +\\|$`, 'm').exec(text);
      const simulated = Math.floor(machine(of).throughput(connections, 20));
      expect([what, ...row.slice(1).map(number)]).toEqual([what, perSecond, simulated]);
    }
  });

  it('has the times of the simulation', () => {
    const rows = [...text.matchAll(/^\| ([\d,]+) +\| (\d) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    for (const [, perSecond, on, ...times] of rows) {
      const all = machine(list, Number(on)).latencies(number(perSecond), 20_000);
      expect([perSecond, on, ...times]).toEqual([
        perSecond,
        on,
        ...[0.5, 0.99].map((share) => at(all, share).toFixed(1)),
      ]);
    }
  });

  it('has the growth of the model beside that of the bench', () => {
    for (const { conversations, search, ...ratios } of growth) {
      const size = conversations.toLocaleString('en');
      const [, row] = new RegExp(`^\\| ${size} +\\|(.*)\\|$`, 'm').exec(text);
      expect(row.split('|').map(Number)).toEqual([
        ...[...Object.values(ratios), search],
        Number(growthOf('search', conversations).toFixed(2)),
      ]);
    }
  });

  it('has the costs that the model has', () => {
    for (const [name, of] of Object.entries({ list, comment }))
      expect(text).toMatch(
        new RegExp(
          `^\\| ${name} +\\| ${of[0].cpuMs.toFixed(2)} ms +\\| ${of[1].cpuMs.toFixed(2)} ms`,
          'm',
        ),
      );
  });
});
