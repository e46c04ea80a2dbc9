import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { problemFacts } from '@postroom/contracts';
import {
  Budget,
  declaredLimits,
  declaredRates,
  type Declared,
  type OwnerKind,
  type Refusal,
  type Share,
} from '@postroom/limits';
import './services.js';

const shareOf = (share: Share): string =>
  typeof share === 'number' ? share.toLocaleString('en') : `${share.timesFree} × what is free`;

const answerOf = (full: Refusal): string => {
  if ('reply' in full) return `\`${full.reply}\``;
  const { problem, retryAfterSeconds } = full;
  const after = retryAfterSeconds === undefined ? '' : `, after ${retryAfterSeconds} s`;
  return `${problemFacts(problem).status} \`${problem}\`${after}`;
};

const waitOf = ({ waiting }: Declared): string => {
  if (!waiting) return 'no';
  if (waiting.total === undefined) return 'in turn';
  const share = waiting.share === undefined ? '' : `; ${shareOf(waiting.share)} each`;
  return `in turn, ${waiting.total.toLocaleString('en')} at most${share}`;
};

const rowOf = (limit: Declared): string => {
  const { name, bounds, unit, total, shares, setting, full } = limit;
  const each = Object.entries<Share>(shares).map(([kind, share]) => `${kind}: ${shareOf(share)}`);
  const all = `${total.toLocaleString('en')}${unit === 'bytes' ? ' bytes' : ''}${setting ? ` (\`${setting}\`)` : ''}`;
  return `| \`${name}\` | ${bounds} | ${all} | ${each.join('; ')} | ${waitOf(limit)} | ${answerOf(full)} |`;
};

const rateRowOf = (rate: ReturnType<typeof declaredRates>[number]): string => {
  const { name, bounds, owner, full, setting } = rate;
  const most = 'perHour' in rate ? `${rate.perHour} an hour` : `${rate.perMinute} a minute`;
  return `| \`${name}\` | ${bounds} | ${most}${setting ? ` (\`${setting}\`)` : ''} | ${owner} | ${full ? answerOf(full) : 'left out'} |`;
};

/** Leaves out those of specs that this process has run before. */
const isOurs = ({ name }: { readonly name: string }): boolean => !name.startsWith('spec.');
const declared = declaredLimits().filter(isOurs);

const document = `# Limits

Every bound on load, its owners, and the answer when it is full. This page is generated from the declarations in the
\`limits.ts\` of each app and library (\`UPDATE_GOLDENS=1 npm test -- apps/postroom\` writes it). One class enforces
them (\`libs/limits\`), in each process for itself: two gateways have two of each.

A share is what one owner may have. \`1 × what is free\` lets one workspace have at most half, each of two a third, each
of ten an eleventh: however many there are, the next one finds room. What waits takes turns between owners, at equal
cost. A network is an address of IPv4 or a /64 of IPv6, its site the /24 or /48 that it is part of; they stand for
strangers.

The metrics \`postroom_limit_used\`, \`postroom_limit_waiting\` and \`postroom_limit_refused_total\` show each by its
name, and \`postroom_limit_shared_total\` what one owner got while another found no room. A limit that refuses in ordinary operation is a reason to add a process, or to raise it where a setting is named;
one that is never half used is no reason for anything.

| Limit | Bounds | In a process | Share | Waits | When full |
|---|---|---|---|---|---|
${declared.map(rowOf).join('\n')}

## Rates

How often one owner may do something in any sixty seconds, or in an hour. Gateways tell each other of the requests that they
let through, so that two give no more than one; sign-ins are counted in the database.

| Rate | Bounds | At most | For each | Beyond it |
|---|---|---|---|---|
${declaredRates().filter(isOurs).map(rateRowOf).join('\n')}
`;

it('are documented in full, each with an owner', () => {
  const file = new URL('../../../docs/limits.md', import.meta.url);
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, document);
  expect(readFileSync(file, 'utf8')).toBe(document);
});

describe.each(declared)('$name', (limit) => {
  const kinds = Object.keys(limit.shares);
  const amount = Math.ceil(limit.total / 1_000);
  let asked = 0;

  /** The names that begin once one owner wants everything, and another has asked; and what has been shared then. */
  async function nextOf(owners: (name: string) => Record<OwnerKind, string>) {
    // Has a tally of its own, since other spec files of the process see that of the limit.
    const tally = { used: 0, waiting: 0, refused: 0, shared: 0 };
    const budget = new Budget<OwnerKind>({ ...limit, tally } as Declared<OwnerKind>);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (name: string): void => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      const task = (): Promise<void> => {
        begun.push(name);
        return promise;
      };
      budget.runInTurn(owners(name), task, { amount }).catch(() => undefined);
    };
    for (let i = 0; i < 5_000; i += 1) ask('greedy');
    const took = begun.length;
    ask('other');
    if (!begun.includes('other') && limit.waiting) {
      ends[0]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { begun: begun.slice(took), shared: tally.shared };
  }

  /** Owners that have one kind in common with what has the same name, and the rest with nothing. */
  const by = (kind: string, name: string): Record<OwnerKind, string> =>
    Object.fromEntries(
      kinds.map((one) => [one, one === kind ? name : `${(asked += 1)}`]),
    ) as Record<OwnerKind, string>;

  // Tasks that wait take turns by the first kind of owner alone.
  const isolating = limit.waiting ? kinds.slice(0, 1) : kinds;

  it.each(isolating)('leaves the next %s room, or the next turn', async (kind) => {
    expect(await nextOf((name) => by(kind, name))).toEqual({
      begun: ['other'],
      shared: 1,
    });
  });

  // The end-to-end suite tells by this count that what a limit bounds is asked for in the name of its owner.
  it.each(isolating)('leaves it none with one %s for all, and has shared nothing', async (kind) => {
    const { begun, shared } = await nextOf(() => by(kind, 'all'));
    expect(begun).not.toContain('other');
    expect(shared).toBe(0);
  });
});
