import { domainToUnicode } from 'node:url';
import type { SeenLink } from './scan-html.js';
import type { Address } from '../parsed-message.js';

/** Second levels under which domains are registered, in the countries that have them. */
const sharedSecondLevels = new Set(['co', 'com', 'org', 'net', 'gov', 'gouv', 'ac', 'edu', 'asso']);

/** The part of a host name that one owner registered, near enough: `shop.example.co.uk` → `example.co.uk`. */
function siteOf(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const second = labels.at(-2) ?? '';
  const isShared =
    labels.length > 2 && labels.at(-1)?.length === 2 && sharedSecondLevels.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}

/** The domain of a mail address, in lower case; empty where there is none. */
export const domainOf = (email: string): string =>
  email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();

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

/** The names that are imitated most, for any recipient. */
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

/** A domain as it looks at a glance. */
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
 * True if a sender’s domain imitates a recipient's, or one that is imitated often: it looks the same without
 * being it, differs by one letter, or mixes alphabets.
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

/** True if one letter was changed, added, left out, or swapped with its neighbour. */
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

/** A text that is nothing but an address: of a page, or of a host. */
const address = /^(?:https?:\/\/)?((?:[\p{L}\d-]{1,63}\.)+\p{L}{2,24})(?:[/:?#]\S*)?$/iu;

/** True if a link shows one host and leads to another one. */
export function isMisleading({ href, text }: SeenLink): boolean {
  const named = address.exec(text.trim())?.[1];
  if (named === undefined || looksLikeFile(named)) return false;
  const target = URL.parse(href.trim());
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') return false;
  const host = URL.parse(`http://${named}`)?.hostname;
  return host !== undefined && siteOf(host) !== siteOf(target.hostname);
}

/** `report.pdf` is a file’s name, though it could be a host’s. */
const looksLikeFile = (name: string): boolean =>
  /^[^.]+\.(?:pdf|docx?|xlsx?|pptx?|zip|txt|csv|png|jpe?g|gif|html?|md|js|ts|py|json|xml)$/i.test(
    name,
  );

const addressInName = /[\w.%+-]{1,64}@((?:[\w-]{1,63}\.){1,5}[a-z]{2,24})/i;

/** True if a display name contains an address of another site than its own address. */
export function contradictsAddress({ name, email }: Address): boolean {
  const named = addressInName.exec((name ?? '').slice(0, 400))?.[1];
  return named !== undefined && siteOf(named) !== siteOf(domainOf(email));
}
