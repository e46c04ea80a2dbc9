/** Digits so far of a number that is written in groups, and where the last of them ends. */
export interface DigitGroups {
  readonly digits: string;
  /** After how many digits it was divided. */
  readonly breaks: readonly number[];
  readonly end: number;
}

/** What may stand between two groups of one number, as a part of an expression. */
export const joint = '(?: ?[-._/] ?| )';

const run = /\d+/g;
const separator = new RegExp(joint, 'y');

/** Where a number may begin: at a run of digits that is not the fraction of another number. */
export function* startsOfNumbers(text: string): Generator<number> {
  for (const { index } of text.matchAll(run)) {
    if (!/\d\.$/.test(text.slice(Math.max(0, index - 2), index))) yield index;
  }
}

/** Whole groups of digits from `start` on, one more at a time, while they are `max` digits at most. */
export function* groupsFrom(text: string, start: number, max: number): Generator<DigitGroups> {
  const breaks: number[] = [];
  let digits = '';
  for (let at = start; ; at = separator.lastIndex) {
    const group = runAt(text, at, max - digits.length);
    if (group === '') return;
    if (digits !== '') breaks.push(digits.length);
    digits += group;
    const end = at + group.length;
    yield { digits, breaks, end };
    separator.lastIndex = end;
    if (!separator.test(text)) return;
  }
}

/** The run of digits at a place; nothing when it is longer than it may be. */
function runAt(text: string, at: number, max: number): string {
  let end = at;
  while (end - at <= max && isDigit(text.charCodeAt(end))) end++;
  return end - at > max ? '' : text.slice(at, end);
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
