import { domainToUnicode } from 'node:url';
import { siteOf } from './domains.js';

/** Letters of other scripts, digits and pairs that look like a Latin letter. */
const twins: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/[0οоօ]/g, 'o'],
  [/[1lіιӏ|!]/g, 'i'],
  [/[аɑα]/g, 'a'],
  [/[еє]/g, 'e'],
  [/[рρ]/g, 'p'],
  [/[сϲ]/g, 'c'],
  [/[уγ]/g, 'y'],
  [/[хχ]/g, 'x'],
  [/[ѕ5]/g, 's'],
  [/[ј]/g, 'j'],
  [/[ԁ]/g, 'd'],
  [/[һ]/g, 'h'],
  [/[νѵ]/g, 'v'],
  [/[кκ]/g, 'k'],
  [/[тτ]/g, 't'],
  [/[ոп]/g, 'n'],
  [/[ᴍм]/g, 'm'],
];

/** Names that are imitated most, whoever is written to. */
const imitated = [
  'paypal.com',
  'microsoft.com',
  'google.com',
  'apple.com',
  'amazon.com',
  'facebook.com',
  'linkedin.com',
  'docusign.com',
  'dropbox.com',
  'github.com',
  'anthropic.com',
  'openai.com',
];

/** What a domain looks like at a glance. */
const lookOf = (domain: string): string =>
  twins.reduce(
    (look, [twin, letter]) => look.replace(twin, letter),
    domainToUnicode(domain).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
  );

const isOfTwoScripts = (domain: string): boolean => {
  const label = domainToUnicode(siteOf(domain)).split('.')[0] ?? '';
  return /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label);
};

/**
 * Whether a sender’s domain imitates one that it is written to, or one that is imitated often: it looks
 * the same and is another one, differs by one letter, or mixes alphabets.
 */
export function isLookalike(sender: string, known: readonly string[]): boolean {
  if (sender === '') return false;
  if (isOfTwoScripts(sender)) return true;
  const site = siteOf(sender);
  return [...known, ...imitated].some((other) => {
    const real = siteOf(other);
    return real !== site && resembles(site, real);
  });
}

/** Shorter names differ by a letter without being meant. */
const lettersMin = 7;

function resembles(site: string, real: string): boolean {
  const [name = '', realName = ''] = [site.split('.')[0], real.split('.')[0]];
  if (name === realName) return false;
  if (lookOf(name) === lookOf(realName)) return true;
  const isLong =
    realName.length >= lettersMin && site.slice(name.length) === real.slice(realName.length);
  return isLong && differsByOne(name, realName);
}

/** Whether one letter was changed, added, left out, or swapped with its neighbour. */
function differsByOne(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [a, b] = [one.slice(start), other.slice(start)];
  return (
    a.slice(1) === b.slice(1) ||
    a === b.slice(1) ||
    a.slice(1) === b ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  );
}
