/** Digits so far of a number that is written in groups, and where the last of them ends. */
export interface DigitGroups {
  readonly digits: string;
  readonly end: number;
}

const run = /\d+/g;
const separator = / ?[-._] ?| /y;

/** Where a number may begin: at a run of digits that is not the fraction of another number. */
export function* startsOfNumbers(text: string): Generator<number> {
  for (const { index } of text.matchAll(run)) {
    if (!/\d\.$/.test(text.slice(Math.max(0, index - 2), index))) yield index;
  }
}

/**
 * Whole groups of digits from `start` on, one more at a time, as long as they are joined by one and the
 * same separator and have no more than `max` digits.
 */
export function* groupsFrom(text: string, start: number, max: number): Generator<DigitGroups> {
  let digits = '';
  let joint: string | null = null;
  for (let at = start; ;) {
    const group = runAt(text, at, max - digits.length);
    if (group === '') return;
    digits += group;
    const end = at + group.length;
    yield { digits, end };
    separator.lastIndex = end;
    const found = separator.exec(text)?.[0];
    if (found === undefined || (joint !== null && found !== joint)) return;
    joint = found;
    at = end + found.length;
  }
}

/** The run of digits at a place; nothing when it is longer than it may be. */
function runAt(text: string, at: number, max: number): string {
  let end = at;
  while (end - at <= max && isDigit(text.charCodeAt(end))) end++;
  return end - at > max ? '' : text.slice(at, end);
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
