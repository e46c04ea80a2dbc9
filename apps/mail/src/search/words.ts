import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldForSearch } from '@postroom/contracts/fold-for-search';

/** A word of a text as searches compare it, and where it stands there. */
export interface Word {
  /** Without case and accents. In a script without spaces: two characters, or the last one alone. */
  readonly word: string;
  /** True if `word` is one of the overlapping pairs of a script without spaces. */
  readonly paired: boolean;
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/** Longer ones are cut, here as in queries: PostgreSQL takes 2 KB, and no person types them. */
const wordMax = 64;
/**
 * UTF-16 units of a word before it is folded: a word of `wordMax` letters with eight marks on each. What
 * is longer is cut first, since putting marks in order (normalisation) takes quadratic time.
 */
const unitsMax = wordMax * 9;

/**
 * Letters, digits and their marks, with what is unseen between them (soft hyphens, joiners); a
 * pictograph is a word of its own.
 */
const runs =
  /[\p{L}\p{N}\p{M}]+(?:[\u200d\u00ad\u200c\u2060\ufeff]+[\p{L}\p{N}\p{M}]+)*|\p{Extended_Pictographic}/gu;

/**
 * Written without spaces between words, or (Korean) with endings grown together with them: found by
 * overlapping pairs of characters, which needs no dictionary and no agreement of two on where a word
 * ends.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆〇]+/gu;

const unsearched = /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+/gu;

const folded = (text: string): string => foldForSearch(text).replace(unsearched, '');

/** The words of a text in their order, for documents, queries and highlights alike. */
export function* wordsOf(text: string): Generator<Word, undefined> {
  for (let at = 0; at < text.length;) {
    const end = plainEnd(text, at);
    if (end > at) {
      const word = text.slice(at, Math.min(end, at + wordMax)).toLowerCase();
      yield { word, paired: false, start: at, end };
    }
    if (end >= 0) {
      at = Math.max(end, at + 1);
      continue;
    }
    runs.lastIndex = at;
    const found = runs.exec(text);
    if (!found) return;
    yield* wordsOfRun(found[0], found.index);
    at = found.index + found[0].length;
  }
}

/**
 * The end of the word of plain letters and digits that begins at a place; the place itself if none begins there, and -1
 * if the expressions have to say it. Most words are plain, and the expressions make a kilobyte of garbage for each.
 */
function plainEnd(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return -1;
    if (!isPlain(unit)) return at;
  }
}

/** True for a letter or digit of ASCII. */
const isPlain = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a);

function* wordsOfRun(run: string, index: number): Generator<Word, undefined> {
  let from = 0;
  for (const part of run.matchAll(unspaced)) {
    yield* wholeWord(run.slice(from, part.index), index + from);
    yield* pairs(part[0], index + part.index);
    from = part.index + part[0].length;
  }
  yield* wholeWord(from === 0 ? run : run.slice(from), index + from);
}

function* wholeWord(text: string, start: number): Generator<Word, undefined> {
  const word = cut(folded(text.slice(0, unitsMax)));
  if (word !== '') yield { word, paired: false, start, end: start + text.length };
}

/** The last character stands alone too, so that it is found by what begins with it. */
function* pairs(text: string, start: number): Generator<Word, undefined> {
  const characters = [...text];
  let at = start;
  for (const [i, character] of characters.entries()) {
    const next = characters[i + 1] ?? '';
    const word = folded(character + next);
    const end = at + character.length + next.length;
    if (word !== '') yield { word, paired: true, start: at, end };
    at += character.length;
  }
}

const cut = (word: string): string =>
  word.length <= wordMax ? word : [...word].slice(0, wordMax).join('');

/**
 * Words of a message that are searched. PostgreSQL keeps no position beyond 16,383, so that phrases
 * would find what is not there; and a hostile message would cost the index 100,000 entries.
 */
export const wordsMax = 16_000;

/** Bytes of different words of a message: PostgreSQL's limit for all of a document is 1 MiB. */
const lexemeBytesMax = 500_000;
/** Positions of one word that PostgreSQL keeps. */
const positionsMax = 255;
/** Words and UTF-16 units between two yields to the event loop, a millisecond or two. */
const [wordsOfTurn, unitsOfTurn] = [1_000, 32 * 1024];

/** A text in slices, which end between words; one without a blank is cut where it ends. */
function* slicesOf(text: string): Generator<string, undefined> {
  for (let at = 0; at < text.length;) {
    const slice = text.slice(at, at + unitsOfTurn);
    const blank = Math.max(slice.lastIndexOf(' '), slice.lastIndexOf('\n'));
    const isLast = at + slice.length === text.length;
    const end = isLast || blank <= 0 ? slice.length : blank;
    yield slice.slice(0, end);
    at += end;
  }
}

/**
 * The positions of each word, up to the limits of what is searched. They are kept in two lists of numbers: a list for
 * each word was two thirds of what a history that is stored leaves to be collected.
 */
export class Positions {
  /** The index in the lists of the last position of each word. */
  private readonly last = new Map<string, number>();
  private readonly positions: number[] = [];
  /** The index of the position before it of the same word; -1 if there is none. */
  private readonly previous: number[] = [];
  private count = 0;
  private bytes = 0;

  async addText(text: string, ...inFields: readonly ((word: string) => string)[]): Promise<void> {
    let isLater = false;
    for (const slice of slicesOf(text)) {
      if (isLater) await nextTurn();
      isLater = true;
      for (const { word } of wordsOf(slice)) {
        if (this.count >= wordsMax || this.bytes >= lexemeBytesMax) return;
        this.count += 1;
        if (this.count % wordsOfTurn === 0) await nextTurn();
        this.at(word);
        for (const inField of inFields) this.at(inField(word));
      }
    }
    // A gap, so that no phrase is found across two fields.
    this.count += 1;
  }

  private at(lexeme: string): void {
    const previous = this.last.get(lexeme);
    if (previous === undefined) this.bytes += Buffer.byteLength(lexeme);
    this.last.set(lexeme, this.positions.push(this.count) - 1);
    this.previous.push(previous ?? -1);
  }

  *entries(): Generator<string, undefined> {
    for (const [lexeme, last] of this.last) yield `'${lexeme}':${this.positionsTo(last)}`;
  }

  private positionsTo(last: number): string {
    if (this.previous[last] === -1) return String(this.positions[last]);
    const at: (number | undefined)[] = [];
    for (let n = last; n >= 0; n = this.previous[n] ?? -1) at.push(this.positions[n]);
    return at.reverse().slice(0, positionsMax).join(',');
  }
}

/** The words of a comment, as they are added to the document of a message. */
export async function commentDocument(text: string): Promise<string> {
  const words = new Positions();
  // A gap behind the document, as there is behind each of its fields.
  await words.addText('');
  await words.addText(text);
  return [...words.entries()].join(' ');
}
