const joint = '[ ._-]?';
// Sex, year, month (also those that stand for an unknown one), department, commune, order, key.
const parts = [
  ...['([1-478])', '(\\d)', '(\\d)', '([0-9])', '([0-9])', '(\\d)', '([0-9AB])'],
  ...Array<string>(8).fill('(\\d)'),
];
const form = new RegExp(`(?<![0-9]|[0-9][.])${parts.join(joint)}(?![0-9])`, 'gi');
const separators = /[ ._-]/g;

/**
 * French social security numbers (NIR) of a judged text: thirteen signs and the key that proves them,
 * in any groups; departments 2A and 2B of Corsica too.
 */
export function* frenchSocialSecurityNumbers(text: string): Generator<string> {
  const search = new RegExp(form);
  for (let found = search.exec(text); found; found = search.exec(text)) {
    if (isNumber(found[0])) yield found[0];
    // What is no number may hold the beginning of one.
    else search.lastIndex = found.index + 1;
  }
}

function isNumber(written: string): boolean {
  if (new Set(written.match(separators)).size > 1) return false;
  const signs = written.replaceAll(separators, '').toUpperCase();
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
