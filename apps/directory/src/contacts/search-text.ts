import { foldForSearch, sameText, searchWords } from '@postroom/contracts';
import { likeContaining } from '@postroom/persistence';
import { displayNameOf, type ContactRecord } from './contact-record.js';

/** FNV-1a, as a signed 32-bit number: the same on every machine and in every release. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value | 0;
}

const gramLength = 3;

/** Hashes of the trigrams of some words, each once. */
export function gramsOf(words: readonly string[]): number[] {
  const found = new Set<number>();
  for (const word of words) {
    const letters = [...word];
    for (let i = 0; i + gramLength <= letters.length; i++) {
      found.add(hash(letters.slice(i, i + gramLength).join('')));
    }
  }
  return [...found];
}

/** The searched text of a contact: name, organization and addresses. */
export function searchTextOf(record: ContactRecord): string {
  const { givenName, familyName, organization, emails } = record;
  const texts = [displayNameOf(record), givenName, familyName, organization];
  const all = [...texts, ...emails.map(({ value }) => value)];
  return [...new Set(all.flatMap((text) => (text === null ? [] : [foldForSearch(text)])))].join(
    '\n',
  );
}

/** A group as it is compared. */
export const groupKeyOf = (group: string): string => sameText(group);

/** Stands among the grams for a group, so that the index finds its contacts; no word has such a gram. */
export const groupGram = (groupKey: string): number => hash(`group\n${groupKey}`);

/** Grams of a text that was folded. */
export const gramsOfText = (text: string): number[] => gramsOf(text.split(/\s/u));

/** A search as the database runs it. */
export interface ContactSearch {
  readonly groupKey: string | null;
  /** Patterns of LIKE, all of which a contact matches. */
  readonly patterns: readonly string[];
  readonly grams: readonly number[];
}

/** Makes the search of a query; without words and group every contact matches. */
export function searchOf({ q, group }: { q?: string; group?: string }): ContactSearch {
  const groupKey = group === undefined ? null : groupKeyOf(group);
  const words = searchWords(q ?? '');
  return {
    groupKey,
    patterns: words.map(likeContaining),
    grams: [...gramsOf(words), ...(groupKey === null ? [] : [groupGram(groupKey)])],
  };
}
