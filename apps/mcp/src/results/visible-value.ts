import { cut, visibleText } from './visible-text.js';

/** Characters of one text in a result. */
const charactersMax = 20_000;

/** A JSON value whose texts have nothing hidden in them, and are not endless. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return shortened(visibleText(value));
  if (Array.isArray(value)) return value.map(visibleValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [visibleText(name), visibleValue(inner)]),
  );
}

const shortened = (text: string): string =>
  text.length <= charactersMax
    ? text
    : `${cut(text, charactersMax)}… (${text.length - charactersMax} characters left out)`;
