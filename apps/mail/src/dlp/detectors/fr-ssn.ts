import { joint } from './card-number.js';

const department = '(?:\\d\\d|2[AB])';
/** Sex, year, month (also those that stand for an unknown one), department, commune, order, key. */
const inParts = ['[1-478]', '\\d\\d', '\\d\\d', department, '\\d{3}', '\\d{3}', '\\d\\d'];
const signBySign = [
  '[1-478]',
  ...Array<string>(5).fill('\\d'),
  '[0-9AB]',
  ...Array<string>(8).fill('\\d'),
];
const written = [inParts.join(`${joint}?`), signBySign.join(joint)].join('|');
const form = new RegExp(`(?<![0-9]|[0-9][.])(?:${written})(?![0-9])`, 'gi');

/**
 * French social security numbers (NIR) of a judged text: thirteen signs and the key that proves them,
 * divided where their parts are, or sign by sign, or not; departments 2A and 2B of Corsica too.
 */
export function* frenchSocialSecurityNumbers(text: string): Generator<string> {
  const search = new RegExp(form);
  for (let found = search.exec(text); found; found = search.exec(text)) {
    if (isNumber(found[0])) yield found[0];
    // A text that is no valid number may hold the beginning of one.
    else search.lastIndex = found.index + 1;
  }
}

function isNumber(found: string): boolean {
  const signs = found.replaceAll(/[^0-9a-z]/gi, '').toUpperCase();
  return isMonth(Number(signs.slice(3, 5))) && isDepartment(signs) && hasKey(signs);
}

/** 20 and 30 to 42 where the month was not known, 50 and more where it is kept no more. */
const isMonth = (month: number): boolean =>
  (month >= 1 && month <= 12) || month === 20 || (month >= 30 && month <= 42) || month >= 50;

const isDepartment = (signs: string): boolean => /^(?:\d\d|2[AB])$/.test(signs.slice(5, 7));

/** 97 less the remainder of the number, in which 2A is 19 and 2B is 18 (decree 82-103). */
function hasKey(signs: string): boolean {
  const number = signs.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(number) % 97) === Number(signs.slice(13));
}
