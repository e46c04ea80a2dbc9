import type { SearchQuery, Term } from './parse-query.js';
import { lexemes } from './search-document.js';

/** The condition on a message, as PostgreSQL's `tsquery` in its text form; null: none. */
export interface TextMatch {
  readonly full: string | null;
  /** The part that the index is searched for; the rest is checked in what it finds. */
  readonly indexed: string | null;
}

/**
 * Shorter beginnings stand in so many words that the index takes a second to gather their messages:
 * beside anything else that is asked they are left to the messages that this finds.
 */
const indexedPrefixMin = 3;

export function textMatch({ terms, filters }: SearchQuery): TextMatch {
  const facts = filters
    .filter(({ kind }) => kind === 'attachment')
    .map(({ negated }) => `${negated ? '!' : ''}'${lexemes.attachment}'`);
  const all = new Set([...terms.map(termQuery), ...facts]);
  const narrow = new Set([...terms.filter(isNarrow).map(termQuery), ...facts]);
  const hasPositive = [...narrow].some((one) => !one.startsWith('!'));
  return { full: joined(all), indexed: joined(hasPositive ? narrow : all) };
}

const joined = (parts: ReadonlySet<string>): string | null =>
  parts.size === 0 ? null : [...parts].join(' & ');

function isNarrow({ words, ending }: Term): boolean {
  const last = words.at(-1) ?? '';
  return ending === 'whole' || last.length >= indexedPrefixMin || /[^a-z0-9]/u.test(last);
}

function termQuery({ words, field, ending, negated }: Term): string {
  const quoted = words.map((word) => `'${field ? lexemes[field](word) : word}'`);
  const phrase = quoted.join(' <-> ') + (ending === 'whole' ? '' : ':*');
  return `${negated ? '!' : ''}(${phrase})`;
}
