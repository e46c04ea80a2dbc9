import { createHash } from 'node:crypto';
import { emailKey, foldForSearch } from '@postroom/contracts';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { displayNameOf, type ContactRecord } from './contact-record.js';

/** Country of a number without a country code: the product's public texts are French. */
const homeCountry: CountryCode = 'FR';

/** The providers that know dots in the local part for nothing. */
const dotless = new Set(['gmail.com', 'googlemail.com']);

/** One spelling for the addresses that reach the same mailbox: without a tag, or the dots of Gmail. */
export function addressSpelling(email: string): string {
  const key = emailKey(email).normalize('NFKC');
  const at = key.lastIndexOf('@');
  const domain = key.slice(at + 1);
  const local = key.slice(0, at).replace(/(?<=.)\+.*$/su, '');
  if (!dotless.has(domain)) return `${local}@${domain}`;
  return `${local.replaceAll('.', '')}@gmail.com`;
}

/** A number in E.164; null for one that is not valid, or names no line. */
export function phoneInE164(phone: string): string | null {
  const parsed = parsePhoneNumberFromString(phone.replace(/^tel:/i, ''), {
    defaultCountry: homeCountry,
    extract: false,
  });
  return parsed?.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/** Why two contacts are likely to be the same, by the first letter of the key that they share. */
export const likenessReasons = { a: 'address', p: 'phone', n: 'name' } as const;

/** SHA-256, shortened: what it is made of may be too long for an index. */
const short = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Keys that two contacts share when they are likely to be the same. */
export function likenessOf(record: ContactRecord): string[] {
  const { emails, phones, organization } = record;
  const addresses = emails.map(({ value }) => `a${short(addressSpelling(value))}`);
  const numbers = phones.flatMap(({ value }) => phoneInE164(value) ?? []);
  const name = foldForSearch(displayNameOf(record));
  const names =
    organization === null ? [] : [`n${short(`${name}\n${foldForSearch(organization)}`)}`];
  return [...new Set([...addresses, ...numbers.map((number) => `p${number}`), ...names])];
}
