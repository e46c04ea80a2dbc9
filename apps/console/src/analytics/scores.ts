import type { AgentDay } from '@postroom/contracts';

type Counted = 'filed' | 'approved' | 'rejected' | 'expired' | 'refused' | 'failed';

/** Outcomes of a number of writes. */
export type Tally = Readonly<Record<Counted, number>> & {
  /** The median of the days' medians, each counted as often as was decided; null while nothing is. */
  readonly medianMs: number | null;
};

export interface AgentScore {
  readonly keyId: string;
  readonly name: string;
  readonly total: Tally;
  readonly operations: readonly { readonly operation: string; readonly tally: Tally }[];
}

export function sumOf(days: readonly AgentDay[]): Tally {
  const sum = (name: Counted): number => days.reduce((total, day) => total + day[name], 0);
  return {
    ...{ filed: sum('filed'), approved: sum('approved'), rejected: sum('rejected') },
    ...{ expired: sum('expired'), refused: sum('refused'), failed: sum('failed') },
    medianMs: medianOf(days),
  };
}

function medianOf(days: readonly AgentDay[]): number | null {
  const decided = days
    .map(({ medianDecisionMs: ms, approved, rejected }) => ({ ms, count: approved + rejected }))
    .filter((one): one is { ms: number; count: number } => one.ms !== null)
    .toSorted((a, b) => a.ms - b.ms);
  const half = decided.reduce((sum, { count }) => sum + count, 0) / 2;
  let passed = 0;
  return decided.find(({ count }) => (passed += count) >= half)?.ms ?? null;
}

/** By agent and operation, those who filed most first. */
export const scoresOf = (days: readonly AgentDay[]): AgentScore[] =>
  [...Map.groupBy(days, ({ keyId }) => keyId)]
    .map(([keyId, own]) => ({
      ...{ keyId, name: own[0]?.name ?? keyId, total: sumOf(own) },
      operations: [...Map.groupBy(own, ({ operation }) => operation)]
        .map(([operation, these]) => ({ operation, tally: sumOf(these) }))
        .toSorted((a, b) => b.tally.filed - a.tally.filed),
    }))
    .toSorted((a, b) => b.total.filed - a.total.filed);

/** As "3 min". */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 60_000) return `${Math.max(1, Math.round(ms / 1_000))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000
    ? `${Math.round(ms / 3_600_000)} h`
    : `${Math.round(ms / 86_400_000)} days`;
}
