import { sameText } from '../same-text.js';
import { addressMax, canonicalAddress } from './address.js';
import { field, type ListOptions } from './field.js';
import type { InnerFault, Wording } from './faults.js';
import { textList } from './short-texts.js';
import { isWebLink, linkMax } from './text-forms.js';
import { codePoints, hasControls, isCleanText, isRecord, isString, isVisible } from './values.js';

/** Code points of a phone number, and of what an address or a number is for. */
export const phoneMax = 60;
export const pointTypeMax = 40;

/** An address or a phone number as it is given and kept. */
export interface ContactPointValue {
  readonly value: string;
  readonly type: string | null;
}

/** A mail address in its canonical form; undefined for anything else. */
export function emailValue(given: unknown): string | undefined {
  if (!isCleanText(given) || given.length > 4 * addressMax) return undefined;
  const text = given.trim();
  const at = text.lastIndexOf('@');
  return at < 0 ? undefined : canonicalAddress(text.slice(0, at), text.slice(at + 1));
}

/** The form in which addresses are compared: letter case and composition do not count. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();

const phoneValue = (given: unknown): string | undefined => {
  if (!isCleanText(given) || hasControls(given)) return undefined;
  const text = given.trim();
  return /\p{Nd}/u.test(text) && codePoints(text) <= phoneMax ? text : undefined;
};

/** The form in which numbers are compared within a contact: without what is written between the digits. */
export const phoneKey = (phone: string): string =>
  phone.normalize('NFKC').replaceAll(/[\s().\-/]+/g, '');

const typeValue = (given: unknown): string | null => {
  if (!isCleanText(given) || hasControls(given)) return null;
  const text = given.trim();
  return text !== '' && codePoints(text) <= pointTypeMax ? text : null;
};

interface Kind {
  readonly valueOf: (given: unknown) => string | undefined;
  readonly keyOf: (value: string) => string;
  readonly valueMax: number;
  /** True if a longer value is refused; else it is no valid one. */
  readonly isBounded: boolean;
}

// An address over its length is none, and public-api.md §2 has an entry without a valid one ignored.
const email: Kind = {
  valueOf: emailValue,
  keyOf: emailKey,
  valueMax: addressMax,
  isBounded: false,
};
// People write the address of a page without its scheme.
const linkValue = (given: unknown): string | undefined => {
  if (!isCleanText(given)) return undefined;
  const text = given.trim();
  const link = /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(text) ? `https://${text}` : text;
  return isWebLink(link) && URL.canParse(link) ? link : undefined;
};
const url: Kind = {
  valueOf: linkValue,
  keyOf: (link) => link.replace(/\/$/, ''),
  valueMax: linkMax,
  isBounded: true,
};
const phone: Kind = { valueOf: phoneValue, keyOf: phoneKey, valueMax: phoneMax, isBounded: true };

const isLonger = (given: unknown, max: number): boolean =>
  isString(given) && codePoints(given.trim()) > max;

const objectExpected: Wording = {
  fr: 'objet { value, type } attendu',
  en: 'expected an object { value, type }',
};
const tooLong = (name: string, max: number): Wording => ({
  fr: `${name} d’au plus ${max} caractères attendu`,
  en: `expected a ${name} of at most ${max} characters`,
});

/** The first entry of a list that is no object, or over a length, and why it is refused. */
function faultOfEntries(given: unknown, { valueMax, isBounded }: Kind): InnerFault | undefined {
  if (!Array.isArray(given)) return undefined;
  for (const [i, one] of (given as unknown[]).entries()) {
    const at = String(i);
    if (!isRecord(one)) return { at, fault: 'WRONG_TYPE', message: objectExpected };
    if (isBounded && isLonger(one['value'], valueMax)) {
      return { at: `${at}.value`, fault: 'TOO_LONG', message: tooLong('value', valueMax) };
    }
    if (isLonger(one['type'], pointTypeMax)) {
      return { at: `${at}.type`, fault: 'TOO_LONG', message: tooLong('type', pointTypeMax) };
    }
  }
  return undefined;
}

/** Leaves out entries that are no object or have no valid value, and repetitions (public-api.md §2). */
function pointsOf(given: readonly unknown[], { valueOf, keyOf }: Kind): ContactPointValue[] {
  const found = new Map<string, ContactPointValue>();
  for (const one of given) {
    if (!isRecord(one)) continue;
    const value = valueOf(Object.hasOwn(one, 'value') ? one['value'] : undefined);
    if (value === undefined || found.has(keyOf(value))) continue;
    found.set(keyOf(value), {
      value,
      type: typeValue(Object.hasOwn(one, 'type') ? one['type'] : null),
    });
  }
  return [...found.values()];
}

/** The valid addresses of a list, however long, each once. */
export const validEmails = (given: readonly unknown[]): ContactPointValue[] =>
  pointsOf(given, email);

/** The valid phone numbers of a list, however long, each once. */
export const validPhones = (given: readonly unknown[]): ContactPointValue[] =>
  pointsOf(given, phone);

/** The valid links of a list, however long, each once. */
export const validUrls = (given: readonly unknown[]): ContactPointValue[] => pointsOf(given, url);

/** The form in which links are compared. */
export const urlKey = url.keyOf;

const points =
  (kind: Kind, what: { readonly fr: string; readonly en: string }) =>
  <const O extends ListOptions>(about: string, options: O) =>
    field<ContactPointValue[], O>({
      about,
      options,
      schema: () => ({
        type: 'array',
        maxItems: options.max,
        items: {
          type: 'object',
          properties: {
            value: { type: 'string', maxLength: kind.valueMax },
            type: { type: ['string', 'null'], maxLength: pointTypeMax },
          },
          required: ['value'],
        },
      }),
      expects: {
        fr: `liste d’au plus ${options.max} ${what.fr} { value, type } attendue`,
        en: `expected a list of at most ${options.max} ${what.en} { value, type }`,
      },
      accepts: (value) =>
        Array.isArray(value) && value.length <= options.max && !faultOfEntries(value, kind),
      // A list with a wrong entry stays, and is refused.
      convert: (value) =>
        Array.isArray(value) && !faultOfEntries(value, kind) ? pointsOf(value, kind) : value,
      faultIn: (value) => faultOfEntries(value, kind),
    });

/** The mail addresses of a contact. */
export const EmailPoints = points(email, { fr: 'adresses', en: 'addresses' });

/** The phone numbers of a contact. */
export const PhonePoints = points(phone, { fr: 'numéros', en: 'phone numbers' });

/** The web pages of a contact. */
export const UrlPoints = points(url, { fr: 'liens', en: 'links' });

const groupList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => isCleanText(one));

/** The groups of a contact: those that look alike count once. */
export function Groups<const O extends ListOptions & { readonly each: number }>(
  about: string,
  options: O,
) {
  return field<string[], O>({
    about,
    options,
    ...textList(options),
    // A value that is no list of groups stays, and is refused.
    convert: (value) => (groupList(value) && !value.includes('') ? tidyGroups(value) : value),
  });
}

/** Groups of a contact as they are kept: tidy, not blank, and those that look alike once. */
export function tidyGroups(given: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const one of given) {
    const group = one.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
    if (isVisible(group) && !found.has(sameText(group))) found.set(sameText(group), group);
  }
  return [...found.values()];
}
