import { streamSafe } from '@postroom/contracts/same-text';
import type { DlpPlace } from '@postroom/contracts';
import { isEmail } from '@postroom/contracts/fields/values';
import type { JudgedMessage } from './judgement.js';
import { textOfSource } from './text-of-source.js';

/** One reading of what leaves in a place of a message. */
export interface Reading {
  readonly where: DlpPlace;
  readonly written: string;
  /** See `judgedText`. */
  readonly judged: string;
}

/** A message as detectors are given it. */
export interface JudgedContent extends Pick<JudgedMessage, 'attachments'> {
  readonly readings: readonly Reading[];
  /** Addresses. */
  readonly recipients: readonly string[];
}

/** All that leaves with a message, but for the bytes of its files. */
export function contentOf(message: JudgedMessage): JudgedContent {
  const { subject, html, text, recipients, attachments } = message;
  const names = attachments.flatMap(({ filename }) => filename ?? []);
  const people = recipients.map(({ email, name }) => `${name ?? ''} ${email}`);
  const readings = [
    reading('subject', subject),
    ...(html === null ? [] : readingsOfHtml(html)),
    ...(text === null ? [] : [reading('body', text)]),
    // A text that has no element may have entities all the same: what it is written to be is read too.
    ...(html === null && text?.includes('&') === true ? readingsOfHtml(text) : []),
    // A line break parts them, which no detector reads over but as white space.
    reading('attachments', names.join('\n')),
    reading('recipients', people.join('\n')),
  ];
  return { readings, attachments, recipients: recipients.map(({ email }) => email) };
}

const linesMax = 1000;

/**
 * A text that is tried: a body, of which each line may also be the name or the media type of a file and
 * each address a recipient.
 */
export function contentOfTrial(text: string): JudgedContent {
  const lines = text.split(/\r?\n/, linesMax).map((line) => line.trim());
  return {
    readings: readingsOfHtml(text),
    attachments: lines.map((line) => ({ filename: line, mimeType: line })),
    recipients: text.split(/[\s,;<>"()]+/).filter(isEmail),
  };
}

function readingsOfHtml(html: string): Reading[] {
  const { shown, aside } = textOfSource(html);
  return [reading('body', shown), reading('body', aside)];
}

const reading = (where: DlpPlace, written: string): Reading => ({
  where,
  written,
  judged: judgedText(written),
});

/** Joiners, soft hyphens, direction marks …: nothing of them is seen between two digits. */
const unseen = /\p{Default_Ignorable_Code_Point}+/gu;
const marks = /\p{M}+/gu;
const digits = /(?![0-9])\p{Nd}/gu;
const dashes = /[\p{Pd}\u2212]/gu;
const isDigit = /^\p{Nd}$/u;

/**
 * A text as detectors read it: what looks alike, or shows nothing, is as good as the thing itself.
 * Characters that show nothing are dropped (as `sameText` drops them) and so are marks that belong to
 * no letter; widths and styles are one, digits of every script are 0 to 9, dashes are one, and white
 * space is one space. Letter case stays: keys and tokens live by it.
 */
export const judgedText = (text: string): string =>
  streamSafe(text.replaceAll(unseen, ''))
    .normalize('NFKC')
    .replaceAll(marks, '')
    .replaceAll(digits, plainDigit)
    .replaceAll(dashes, '-')
    .replaceAll(/\s+/gu, ' ')
    .trim();

const known = new Map<string, string>();

/** Digits stand in ascending runs of ten, one after the other (Unicode Standard §4.6). */
function plainDigit(digit: string): string {
  const found = known.get(digit);
  if (found !== undefined) return found;
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (isDigit.test(String.fromCodePoint(first - 1))) first--;
  const plain = String((point - first) % 10);
  known.set(digit, plain);
  return plain;
}
