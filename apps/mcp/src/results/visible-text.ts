import type { Participant } from '@postroom/contracts';

/**
 * Characters that a reader does not see: zero-width, tag, bidirectional and other format controls,
 * variation selectors, fillers, and controls but tab and line feed. What is hidden from a person is
 * hidden from the model.
 */
const invisible =
  // oxlint-disable-next-line no-control-regex -- controls are what it removes
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\u2800\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g;

/** A text without what cannot be seen in it. */
export const visibleText = (text: string): string =>
  text.replace(lineBreaks, '\n').replace(invisible, '');

/** The same on one line, and no longer than that. */
export function visibleLine(text: string, charactersMax: number): string {
  const line = visibleText(text.slice(0, 4 * charactersMax))
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim();
  return line.length <= charactersMax ? line : `${cut(line, charactersMax)}…`;
}

/** The beginning of a text, no surrogate pair parted. */
export function cut(text: string, charactersMax: number): string {
  const part = text.slice(0, charactersMax);
  return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
}

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

const namesMax = 200;

/** A correspondent in short lines. */
export const correspondent = ({ email, name }: Participant) => ({
  email: email && visibleLine(email, namesMax),
  name: name && visibleLine(name, namesMax),
});

/** The labels of a conversation that are shown. */
export const shownLabels = (labels: readonly string[]): readonly string[] =>
  labels.slice(0, 50).map((label) => visibleLine(label, 128));
