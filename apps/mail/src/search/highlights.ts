import type { Participant, SearchedField, SearchHighlights } from '@postroom/contracts';
import type { Term } from './parse-query.js';
import { written } from './search-document.js';
import { wordsOf, type Word } from './words.js';

/** The texts of a message that was found; `text` and `to` may be their beginnings only. */
export interface FoundTexts {
  readonly subject: string;
  readonly from: Participant | null;
  readonly to: string;
  readonly text: string;
}

/** The fields and places in which the terms of a query were found. */
export interface Matched {
  readonly matchedIn: SearchedField[];
  /** A number from 0 to 1. */
  readonly score: number;
  readonly highlights: SearchHighlights;
}

const weights: Readonly<Record<SearchedField, number>> = {
  subject: 1,
  from: 0.8,
  to: 0.6,
  text: 0.4,
};

/** UTF-16 units of a snippet, and of it before its first hit. */
const pieceMax = 160;
const leadMax = 50;
const piecesMax = 3;
/** Hits of a text that are looked for: as many as its pieces can show. */
const hitsMax = 60;

/** A range of a text, UTF-16 offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Hit extends Span {
  readonly term: Term;
}

/** Finds the terms of a query in the texts of a message that matches it. */
export function matchedIn({ subject, from, to, text }: FoundTexts, all: readonly Term[]): Matched {
  const terms = all.filter(({ negated }) => !negated);
  const sender = from ? written(from) : '';
  const hits = {
    subject: hitsIn(subject, inField(terms, 'subject')),
    from: hitsIn(sender, inField(terms, 'from')),
    to: hitsIn(to, [...inField(terms, 'to'), ...terms.filter(({ field }) => field === 'cc')]),
    text: hitsIn(text, inField(terms, null)),
  };
  const fields = fieldsOf(terms, hits);
  return {
    matchedIn: (['subject', 'from', 'to', 'text'] as const).filter((one) =>
      fields.some((found) => found.includes(one)),
    ),
    score: scoreOf(fields),
    highlights: {
      subject: piecesOf(subject, hits.subject).slice(0, 1),
      from: piecesOf(sender, hits.from).slice(0, 1),
      text: piecesOf(text, hits.text),
    },
  };
}

const inField = (terms: readonly Term[], field: Term['field']): Term[] =>
  terms.filter((term) => term.field === null || term.field === field);

/** The fields of each term; a term that is in none of the texts stands further down in the body. */
const fieldsOf = (
  terms: readonly Term[],
  hits: Readonly<Record<SearchedField, readonly Hit[]>>,
): SearchedField[][] =>
  terms.map((term) => {
    const found = (['subject', 'from', 'to', 'text'] as const).filter((field) =>
      hits[field].some((hit) => hit.term === term),
    );
    return found.length > 0 ? found : [shownField(term.field)];
  });

/** The field of an answer that stands for a field of the query. */
function shownField(field: Term['field']): SearchedField {
  if (field === 'cc') return 'to';
  return field === null || field === 'filename' ? 'text' : field;
}

function scoreOf(fields: readonly (readonly SearchedField[])[]): number {
  if (fields.length === 0) return 0;
  const sum = fields.reduce(
    (total, found) => total + Math.max(...found.map((one) => weights[one])),
    0,
  );
  return Math.round((sum / fields.length) * 1000) / 1000;
}

/** The places of terms in a text, in order. */
function hitsIn(text: string, terms: readonly Term[]): Hit[] {
  const hits: Hit[] = [];
  if (terms.length === 0) return hits;
  const longest = Math.max(...terms.map(({ words }) => words.length));
  // A query may have hundreds, of which a word can end one: that is looked up.
  const byEnd = Map.groupBy(terms, ({ ending, words }) =>
    ending === 'whole' ? words.at(-1) : null,
  );
  const window: Word[] = [];
  for (const word of wordsOf(text)) {
    window.push(word);
    if (window.length > longest) window.shift();
    for (const end of [word.word, null]) {
      for (const term of byEnd.get(end) ?? []) {
        const first = window.at(-term.words.length);
        if (!first || !endsWith(window, term)) continue;
        hits.push({ start: first.start, end: endOf(word, term), term });
      }
    }
    if (hits.length >= hitsMax) break;
  }
  return hits;
}

const endsWith = (window: readonly Word[], { words, ending }: Term): boolean =>
  words.every((wanted, i) => {
    const found = window.at(i - words.length)?.word;
    const isBegun = ending !== 'whole' && i === words.length - 1;
    return found === wanted || (isBegun && found?.startsWith(wanted) === true);
  });

/** The end of a hit; in a pair that was found by its first character, the end of that character. */
function endOf(word: Word, { words }: Term): number {
  const asked = words.at(-1) ?? '';
  const isHalf = word.paired && asked !== word.word;
  return isHalf ? Math.min(word.end, word.start + asked.length) : word.end;
}

/** Pieces of a text with its hits between « and ». */
function piecesOf(text: string, hits: readonly Hit[]): string[] {
  const pieces: string[] = [];
  let left: readonly Span[] = merged(hits);
  for (let end = 0; left[0] && pieces.length < piecesMax;) {
    const [first] = left;
    const from = Math.max(end, startOfPiece(text, first.start));
    const to = Math.max(first.end, endOfPiece(text, from + pieceMax));
    const shown = left.filter((hit) => hit.end <= to);
    pieces.push(marked(text, { start: from, end: to }, shown));
    left = left.slice(shown.length);
    end = to;
  }
  return pieces;
}

/** Sorts hits and merges those that overlap; none becomes longer than a piece. */
function merged(hits: readonly Span[]): Span[] {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of [...hits].sort((one, other) => one.start - other.start)) {
    const last = spans.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans.map(({ start, end }) => ({ start, end: Math.min(end, start + pieceMax) }));
}

/** Begins a little before the hit, at the beginning of a word. */
function startOfPiece(text: string, hit: number): number {
  const lead = text.slice(Math.max(0, hit - leadMax), hit);
  if (lead.length === hit) return 0;
  const space = lead.search(/\s\S/u);
  return whole(text, space < 0 ? hit : hit - lead.length + space + 1);
}

/** Prefers the end of a word, if there is one near. */
function endOfPiece(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const tail = text.slice(end - 20, end + 1);
  const space = tail.search(/\s\S*$/u);
  return whole(text, space < 0 ? end : end - 20 + space);
}

/** Moves an offset out of the middle of a surrogate pair. */
const whole = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};

function marked(text: string, piece: Span, hits: readonly Span[]): string {
  let at = piece.start;
  let out = at > 0 ? '…' : '';
  for (const { start, end } of hits) {
    out += `${text.slice(at, start)}«${text.slice(start, end)}»`;
    at = end;
  }
  out += text.slice(at, piece.end) + (piece.end < text.length ? '…' : '');
  return out.replace(/\s+/gu, ' ').trim();
}
