import { placements, type Placement } from '@postroom/contracts';
import { wordsOf, type Word } from './words.js';

/** The field that a term is looked for in; null: anywhere in the message. */
export type TermField = (typeof termFields)[number] | null;
const termFields = ['subject', 'from', 'to', 'cc', 'filename'] as const;

/** Words that follow each other. */
export interface Term {
  readonly words: readonly string[];
  readonly field: TermField;
  /** `begun`: the last word may be a prefix; `typed` until the whole query is read. */
  readonly ending: 'begun' | 'whole' | 'typed';
  /** Messages without it. */
  readonly negated: boolean;
}

/** A condition on the conversation or on the message's properties. */
export type Filter = (
  | { readonly kind: 'label'; readonly value: string }
  | { readonly kind: 'assignee'; readonly value: string }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'attachment' }
  | { readonly kind: 'in'; readonly value: Placement }
  /** Received before the beginning of this day, UTC; negated: since then. */
  | { readonly kind: 'before'; readonly value: string }
) & { readonly negated: boolean };

export const isValues = ['unread', 'open', 'pending', 'closed', 'archived'] as const;
export type IsValue = (typeof isValues)[number];

/** A parsed query; every text is a valid one. */
export interface SearchQuery {
  readonly terms: readonly Term[];
  readonly filters: readonly Filter[];
}

/** A chunk between spaces: `-`, an operator's name, and a value that may be quoted. */
const chunks = /(?<minus>-?)(?:(?<name>[a-z]+):)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<bare>[^\s"]+))/giu;

/**
 * Parses what a person types (public-api.md §4): words, `"phrases"`, `-without`, operators. Anything
 * that is no operator with a valid value is text.
 */
export function parseQuery(q: string): SearchQuery {
  const terms: Term[] = [];
  const filters: Filter[] = [];
  for (const { 0: chunk, groups = {} } of q.matchAll(chunks)) {
    const { name = '', quoted, bare = '' } = groups;
    const operator = name.toLowerCase();
    const value = quoted ?? bare;
    const negated = groups['minus'] === '-';
    const filter = filterOf(operator, value.trim());
    if (filter) {
      filters.push({ ...filter, negated: filter.negated !== negated });
      continue;
    }
    const field = fieldOf(operator);
    const isField = field !== null && wordsOf(value).next().done !== true;
    const term = { field: isField ? field : null, negated, isQuoted: quoted !== undefined };
    terms.push(...termOf(isField ? value : chunk, term));
  }
  return { terms: distinct(terms.map(withPrefix)), filters };
}

/** Drops repeated terms and filters. */
const distinct = (terms: readonly Term[]): Term[] => [
  ...new Map(terms.map((term) => [JSON.stringify(term), term])).values(),
];

interface TermOptions extends Pick<Term, 'field' | 'negated'> {
  readonly isQuoted: boolean;
}

function termOf(text: string, { field, negated, isQuoted }: TermOptions): Term[] {
  const found = [...wordsOf(text)];
  const [before, last] = [found.at(-2), found.at(-1)];
  if (last === undefined) return [];
  // The last character of a run of pairs says nothing that the pair before it has not said.
  const isSaid = isSingle(last) && before?.paired === true && before.end === last.end;
  const words = (isSaid ? found.slice(0, -1) : found).map(({ word }) => word);
  // A single character is the first of a pair, or the last one of its run.
  const ending = !isSaid && isSingle(last) ? 'begun' : isQuoted || negated ? 'whole' : 'typed';
  return [{ words, field, negated, ending }];
}

const isSingle = ({ paired, word }: Word): boolean => paired && [...word].length === 1;

/** Only the last word of a query may still be being typed. */
const withPrefix = (term: Term, place: number, terms: readonly Term[]): Term =>
  term.ending === 'typed'
    ? { ...term, ending: place === terms.length - 1 ? 'begun' : 'whole' }
    : term;

const fieldOf = (name: string): TermField => termFields.find((one) => one === name) ?? null;

function filterOf(name: string, value: string): Filter | null {
  const lower = value.toLowerCase();
  const read = Object.hasOwn(operators, name) ? operators[name] : undefined;
  return value === '' ? null : (read?.(value, lower) ?? null);
}

/** The filter of an operator and its value; null for an invalid value. */
const operators: Readonly<Record<string, (value: string, lower: string) => Filter | null>> = {
  label: (value) => ({ kind: 'label', value, negated: false }),
  assignee: (_value, value) => ({ kind: 'assignee', value, negated: false }),
  is: (_value, lower) => {
    const value = isValues.find((one) => one === lower);
    return value ? { kind: 'is', value, negated: false } : null;
  },
  in: (_value, lower) => {
    const value = placements.find((one) => one === lower);
    return value ? { kind: 'in', value, negated: false } : null;
  },
  has: (_value, lower) =>
    lower === 'attachment' || lower === 'attachments'
      ? { kind: 'attachment', negated: false }
      : null,
  before: (value) => (isDay(value) ? { kind: 'before', value, negated: false } : null),
  after: (value) => (isDay(value) ? { kind: 'before', value, negated: true } : null),
};

/** A day that the calendar has, from the year 1 (PostgreSQL has no year 0). */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
