import type { ProblemCode } from '@postroom/contracts/problems';

/**
 * The kinds of owner: a caller (a key or member), a workspace, or, before a caller is known, a network (an address of
 * IPv4, /64 of IPv6) and the site that it is part of (/24, /48).
 */
export type OwnerKind = 'workspace' | 'caller' | 'site' | 'network';

/**
 * The share of one owner: so much, or so many times what is left free. With once, one owner gets at most half, of
 * two each a third; however many there are, the next one still finds room.
 */
export type Share = number | { readonly timesFree: number };

/** Things at a time, or bytes in memory. */
export type Unit = 'places' | 'bytes';

/** A bound on load, and who gets what of it. */
export interface Limit {
  /** Names for operators what it bounds: a noun phrase. */
  readonly bounds: string;
  readonly unit: Unit;
  /** For all owners of a process together. */
  readonly total: number;
  /** Shares by kind of owner. The first kind takes turns where something waits. */
  readonly shares: Readonly<Partial<Record<OwnerKind, Share>>>;
  /** Bounds what waits in turn; absent where nothing does. Without a total as many wait as come, which another limit bounds. */
  readonly waiting?: { readonly total?: number; readonly share?: Share };
  /** The answer to what finds no room, and cannot wait or has waited too long. */
  readonly full: Refusal;
  /** The setting that changes the total. */
  readonly setting?: string;
}

/** A problem with its `Retry-After`, 503 and 429 have one in any case; or a reply of SMTP. */
export type Refusal =
  | { readonly problem: ProblemCode; readonly retryAfterSeconds?: number }
  | { readonly reply: string };

/** The use of a limit in this thread, over all its budgets. */
export interface Tally {
  used: number;
  waiting: number;
  refused: number;
  /** Times that an owner got something while another one waited, or after it had been refused. */
  shared: number;
}

/** A limit with its name, which a budget enforces. */
export interface Declared<K extends OwnerKind = never> extends Limit {
  readonly name: string;
  readonly shares: Readonly<Record<K, Share>>;
  readonly tally: Tally;
}

const noUse: Tally = { used: 0, waiting: 0, refused: 0, shared: 0 };

const all = new Map<string, Declared>();

/** The limits that the loaded modules declare, by name. */
export const declaredLimits = (): readonly Declared[] =>
  [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The use of limits by name, in one thread. */
export type LimitUse = Readonly<Record<string, Tally>>;

export const limitUse = (): LimitUse =>
  Object.fromEntries(declaredLimits().map(({ name, tally }) => [name, tally]));

const inThreads = new Map<string, LimitUse>();

/** Keeps what a thread has last told of its limits, for the metrics of the process. */
export const threadUses = (thread: string, use: LimitUse): unknown => inThreads.set(thread, use);

/** The use of a limit in all threads of the process that report it. */
export function useOf({ name, tally }: Declared): Tally {
  const tallies = [tally, ...[...inThreads.values()].flatMap((use) => use[name] ?? [])];
  const sum = (of: keyof Tally): number => tallies.reduce((all, one) => all + one[of], 0);
  return {
    ...{ used: sum('used'), waiting: sum('waiting') },
    ...{ refused: sum('refused'), shared: sum('shared') },
  };
}

/** Declares the limits of an app or library: each is named `<place>.<key>`. */
export function declareLimits<L extends Readonly<Record<string, Limit>>>(
  place: string,
  limits: L,
): { readonly [N in keyof L]: Declared<keyof L[N]['shares'] & OwnerKind> } {
  const named = Object.entries(limits).map(([key, limit]) => {
    const name = `${place}.${key}`;
    const declared: Declared = { ...limit, name, tally: { ...noUse } };
    all.set(name, declared);
    return [key, declared];
  });
  return Object.fromEntries(named) as never;
}

/** A bound on how often one owner does something, whether memory or the database counts it. */
interface Often {
  /** Names for operators what it bounds: a noun phrase. */
  readonly bounds: string;
  readonly owner: OwnerKind | 'account';
  /** The answer beyond it; null where what is beyond it is left out. */
  readonly full: Refusal | null;
  /** The setting that changes it. */
  readonly setting?: string;
}

/** A rate by the minute, which a window can enforce, or by the hour, which the database counts. */
export type Rate = Often & ({ readonly perMinute: number } | { readonly perHour: number });

/** A rate with its name. */
type Named<R extends Rate> = R & { readonly name: string };

/** A rate that a window enforces. */
export type DeclaredRate = Named<Extract<Rate, { readonly perMinute: number }>>;

const allRates = new Map<string, Named<Rate>>();

/** The rates that the loaded modules declare, by name. */
export const declaredRates = (): readonly Named<Rate>[] =>
  [...allRates.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Declares the rates of an app: each is named `<place>.<key>`. */
export function declareRates<R extends Readonly<Record<string, Rate>>>(
  place: string,
  rates: R,
): { readonly [N in keyof R]: Named<R[N]> } {
  const named = Object.entries(rates).map(([key, rate]) => {
    const declared = { ...rate, name: `${place}.${key}` };
    allRates.set(declared.name, declared);
    return [key, declared];
  });
  return Object.fromEntries(named) as never;
}

/** Something found no room within a limit: its owner has its share, or all is taken, or it has waited too long. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  readonly full: Refusal;

  constructor(
    { name, full, tally }: Declared,
    readonly by: OwnerKind | 'all' | 'time',
  ) {
    super(`${name}: ${by === 'time' ? 'waited too long' : `the share of ${by} is taken`}`);
    this.full = full;
    tally.refused += 1;
  }
}
