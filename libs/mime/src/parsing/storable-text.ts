import { limits } from './limits.js';

const unstorable = /\0|\p{Surrogate}/gu;
/** Controls that are no white space: no text needs them, and each is six characters of JSON. */
const controls = /[^\P{Cc}\s\x7f-\x9f]/gu;
const controlsAndSpaces = /[\s\p{Cc}]+/gu;
/** With soft hyphens, joiners and fillers: newsletters pad the line shown in a list with them. */
const padding =
  /(?:[\s\p{Cc}\u00ad\u061c\u115f\u180e\u200b-\u200f\u2060-\u2064\ufeff]|\u034f|\u17b4|\u17b5)+/gu;
const previewSourceUnitsMax = 16_384;

/** PostgreSQL text takes neither NUL nor half a surrogate pair: they and other controls become U+FFFD. */
export function storableText(text: string, unitsMax: number): string {
  return text.slice(0, unitsMax).replace(unstorable, '\ufffd').replace(controls, '\ufffd');
}

/** One line: controls and white space folded to a blank, at most `charactersMax` code points. */
export function storableLine(text: string, charactersMax: number): string {
  // A code point is at most two units; four times that leaves room for white space to fold.
  const bounded = text.slice(0, charactersMax * 8).replace(unstorable, '\ufffd');
  const line = bounded.replace(controlsAndSpaces, ' ').trim();
  return firstCharacters(line, charactersMax).trimEnd();
}

/** The first words of a body as one plain line. */
export function previewOf(text: string): string {
  const start = text.slice(0, previewSourceUnitsMax);
  // A joiner alone stays: it is part of a word or of an emoji.
  const words = start.replace(padding, (run) => (/\s/.test(run) ? ' ' : run));
  return storableLine(words, limits.previewCharactersMax);
}

function firstCharacters(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return Array.from(text.slice(0, charactersMax * 2))
    .slice(0, charactersMax)
    .join('');
}
