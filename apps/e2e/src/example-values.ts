type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object or a list, whose places are its names. */
const isHolder = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const id = /[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const instant = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z)?$/;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Secrets, hashes and tokens. */
const random = /(pr_[a-z]+_)\w+|(?=[\w+/=-]*\d)[\w+/=-]{24,}/g;
const textMax = 1_000;
const dayMs = 86_400_000;
/** The day on which the examples take place. */
const exampleDay = Date.UTC(2026, 10, 30);
const isTimeMs = (value: unknown): value is number =>
  typeof value === 'number' && value > 1.6e12 && value < 4e12;

/** The ids that a value names, wherever they stand in it. */
export const idsIn = (value: unknown): readonly string[] =>
  JSON.stringify(value ?? null).match(id) ?? [];

/**
 * The ids, times and texts that stand in the examples, and those of a run of them. An id is known once an answer
 * has had it at the place where the example has its own; times are moved by whole days, so that what lies ahead
 * in an example lies ahead in the run.
 */
export class Correspondence {
  private readonly actual: Map<string, string>;
  private readonly shiftMs = Math.floor(Date.now() / dayMs) * dayMs - exampleDay;

  /** @param texts pairs of the example's text and this run's */
  constructor(private readonly texts: readonly (readonly [string, string])[]) {
    this.actual = new Map();
  }

  /** The value to send for that of the example. */
  ofRun(value: unknown): unknown {
    return mapped(value, (leaf) => {
      if (isTimeMs(leaf)) return leaf + this.shiftMs;
      if (typeof leaf !== 'string') return leaf;
      if (instant.test(leaf)) return moved(leaf, this.shiftMs);
      const text = this.texts.reduce((all, [said, is]) => all.replaceAll(said, is), leaf);
      return text.replaceAll(id, (one) => this.actual.get(one) ?? one);
    });
  }

  /** Learns the ids of an answer from the places where the example has its own. */
  learn(example: unknown, answer: unknown): void {
    if (isHolder(example) && isHolder(answer))
      for (const [name, one] of Object.entries(example)) this.learn(one, answer[name]);
    if (typeof example !== 'string' || typeof answer !== 'string') return;
    const answered = idsIn(answer);
    for (const [place, one] of idsIn(example).entries())
      this.actual.set(one, this.actual.get(one) ?? answered[place] ?? one);
  }

  /** An answer as an example shows it; what `example` says of the same form already, it goes on to say. */
  asExample(answer: unknown, example: unknown): unknown {
    if (Array.isArray(answer)) {
      const said: readonly unknown[] = Array.isArray(example) ? example : [];
      const shown = answer.slice(0, Math.max(2, said.length));
      return shown.map((one, place) => this.asExample(one, said[place]));
    }
    if (isRecord(answer)) {
      const said = isRecord(example) ? example : {};
      const entries = Object.entries(answer);
      return Object.fromEntries(
        entries.map(([name, one]) => [name, this.asExample(one, said[name])]),
      );
    }
    if (example !== undefined && typeof example === typeof answer) return example;
    if (isTimeMs(answer)) return answer - this.shiftMs;
    return typeof answer === 'string' ? this.exampleText(answer) : answer;
  }

  private exampleText(answer: string): string {
    if (instant.test(answer)) return moved(answer, -this.shiftMs);
    return this.texts
      .reduce((all, [said, is]) => all.replaceAll(is, said), beginningOf(answer))
      .replaceAll(times, (one) => moved(one, -this.shiftMs))
      .replaceAll(id, (one) => this.exampleId(one))
      .replaceAll(random, (one, kind: string | undefined) =>
        idsIn(one).length > 0 && kind === undefined ? one : `${kind ?? one.slice(0, 12)}…`,
      );
  }

  private exampleId(actual: string): string {
    for (const [known, one] of this.actual) if (one === actual) return known;
    const prefix = actual.slice(0, 4);
    const many = [...this.actual.keys()].filter((one) => one.startsWith(prefix)).length;
    const made = `${prefix}01KB1QZ8G0${String(many + 101).padStart(16, '0')}`;
    this.actual.set(made, actual);
    return made;
  }
}

/** The first lines of a long text. */
function beginningOf(text: string): string {
  if (text.length <= textMax) return text;
  return text.slice(0, text.lastIndexOf('\n', textMax) + 1);
}

const moved = (time: string, byMs: number): string =>
  new Date(Date.parse(time) + byMs).toISOString().slice(0, time.length);

function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, leaf));
  if (!isRecord(value)) return leaf(value);
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, one]) => [name, mapped(one, leaf)]));
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/**
 * The places at which an answer has another form than the example: a name that one of them lacks, or another type.
 * Null is of every type, and each item of a list is compared with the one at its place, or with the last; a list that
 * has items in the example has some in the answer.
 */
export function differences(example: unknown, answer: unknown, place = ''): readonly string[] {
  if (example === null || answer === null) return [];
  if (Array.isArray(example) && Array.isArray(answer))
    return differencesOfItems(example, answer, place);
  if (isRecord(example) && isRecord(answer)) {
    const names = new Set([...Object.keys(example), ...Object.keys(answer)]);
    return [...names].flatMap((name) => {
      const at = `${place}/${name}`;
      if (!Object.hasOwn(answer, name)) return [`${at} is in the example only`];
      if (!Object.hasOwn(example, name)) return [`${at} is in the answer only`];
      return differences(example[name], answer[name], at);
    });
  }
  const [said, is] = [kindOf(example), kindOf(answer)];
  return said === is ? [] : [`${place} is ${said} in the example, ${is} in the answer`];
}

function differencesOfItems(
  example: readonly unknown[],
  answer: readonly unknown[],
  place: string,
): readonly string[] {
  if (example.length === 0) return [];
  if (answer.length === 0) return [`${place}/0 is in the example only`];
  return answer.flatMap((one, index) =>
    differences(example[Math.min(index, example.length - 1)], one, `${place}/${index}`),
  );
}
