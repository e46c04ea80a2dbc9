/** Digits so far of a number that is written in groups, and where the last of them ends. */
interface DigitGroups {
  readonly digits: string;
  /** After how many digits it was divided. */
  readonly breaks: readonly number[];
  readonly end: number;
}

/** The separator between two groups of one number, as a part of an expression. */
export const joint = '(?: ?[-._/] ?| )';

const run = /\d+/g;
const separator = new RegExp(joint, 'y');

/** A number may begin at a run of digits that is not the fraction of another number. */
function* startsOfNumbers(text: string): Generator<number> {
  for (const { index } of text.matchAll(run)) {
    if (!/\d\.$/.test(text.slice(Math.max(0, index - 2), index))) yield index;
  }
}

/** Whole groups of digits from `start` on, one more at a time, while they are `max` digits at most. */
function* groupsFrom(text: string, start: number, max: number): Generator<DigitGroups> {
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

/** The range of prefixes of an issuer's numbers (inclusive, of equal length), and their lengths. */
interface Issuer {
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const issuer = (range: string, ...lengths: number[]): Issuer => {
  const [from = '', to = from] = range.split('-');
  return { from, to, lengths };
};

const longest = 19;
const from13 = [13, 14, 15, 16, 17, 18, longest];
const from16 = [16, 17, 18, longest];

/** ISO/IEC 7812 identification numbers, as the networks publish them. */
const issuers: readonly Issuer[] = [
  issuer('4', 13, 16, longest), // Visa, Visa Electron, Carte Bancaire
  issuer('51-55', 16),
  issuer('2221-2720', 16), // Mastercard
  issuer('34', 15),
  issuer('37', 15), // American Express
  issuer('300-305', 14),
  issuer('3095', 14),
  issuer('36', ...from13.slice(1)), // Diners Club
  issuer('38-39', 14, 16, longest),
  issuer('6011', 16, longest),
  issuer('644-649', 16, longest),
  issuer('65', 16, longest), // Discover
  issuer('3528-3589', ...from16), // JCB
  issuer('62', ...from16),
  issuer('81', ...from16), // UnionPay
  ...['5018', '5020', '5038', '5893', '6304', '6759', '6761-6763'].map(
    (range) => issuer(range, 12, ...from13), // Maestro
  ),
  issuer('2200-2204', ...from16), // Mir
  issuer('60', 16),
  issuer('82', 16),
  issuer('508', 16), // RuPay
  issuer('636', ...from16),
  issuer('637-639', 16), // InterPayment, InstaPayment
  issuer('9792', 16),
  issuer('5067', 16), // Troy, Elo
];

const shortest = 12;

/**
 * Card numbers of a judged text: digits of an issuer's form whose check digit is right (Luhn, ISO/IEC
 * 7812-1 annex B), in the groups of a card or in none. Never a part of a longer run of digits.
 */
export function* cardNumbers(text: string): Generator<string> {
  let after = 0;
  for (const start of startsOfNumbers(text)) {
    if (start < after) continue;
    let found: string | null = null;
    for (const { digits, breaks, end } of groupsFrom(text, start, longest)) {
      if (!mayBeDivided(breaks)) break;
      if (digits.length >= shortest && isCardNumber(digits)) {
        found = text.slice(start, end);
        after = end;
      }
    }
    if (found !== null) yield found;
  }
}

/**
 * A card number may be divided where cards divide theirs (some of the fours, or 4-6-5,
 * 4-6-4 and 4-3-3-3), or after every digit. Anywhere would be a hit in many a list of amounts or
 * telephone numbers.
 */
const mayBeDivided = (breaks: readonly number[]): boolean =>
  breaks.every((place) => place % 4 === 0) ||
  breaks.every((place) => place === 4 || place === 7 || place === 10) ||
  breaks.every((place, at) => place === at + 1);

const isCardNumber = (digits: string): boolean =>
  hasCheckDigit(digits) && issuers.some((one) => isOf(one, digits));

function isOf({ from, to, lengths }: Issuer, digits: string): boolean {
  const start = digits.slice(0, from.length);
  return start >= from && start <= to && lengths.includes(digits.length);
}

const zero = 0x30;

/** Counted from the right, every second digit counts double, and a double of two digits counts as their sum. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 1; i <= digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - i) - zero;
    const counted = i % 2 === 0 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
