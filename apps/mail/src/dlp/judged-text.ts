import { streamSafe } from '@postroom/contracts/same-text';

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
