import { pointTypeMax } from './contact-points.js';
import type { InnerFault, Wording } from './faults.js';
import { field, type ListOptions } from './field.js';
import { codePoints, controls, isCleanText, isRecord, isString, isVisible } from './values.js';

/** The parts of a postal address in the order of a letter, and what it is for. */
export const addressParts = ['street', 'city', 'region', 'postalCode', 'country', 'type'] as const;
type AddressPart = (typeof addressParts)[number];

/** Code points of a part; the type has those of the other types of a contact. */
export const addressPartMax = (part: AddressPart): number => (part === 'type' ? pointTypeMax : 200);

/** A postal address as it is kept. */
export type PostalAddressValue = { readonly [P in AddressPart]: string | null };

/** Controls but the line ends, which a street has. */
const controlsInLines = String.raw`\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const patternOf = (part: AddressPart): string =>
  `^[^${part === 'street' ? controlsInLines : controls}]*$`;
const [lineForm, linesForm] = [new RegExp(patternOf('city')), new RegExp(patternOf('street'))];

const isText = (part: AddressPart, given: unknown): given is string =>
  isCleanText(given) && (part === 'street' ? linesForm : lineForm).test(given);

const partValue = (part: AddressPart, given: unknown): string | null => {
  const text = isText(part, given) ? given.trim() : '';
  return isVisible(text) && codePoints(text) <= addressPartMax(part) ? text : null;
};

/** The address that is given; undefined where nothing is said of a place. */
function addressOf(given: unknown): PostalAddressValue | undefined {
  if (!isRecord(given)) return undefined;
  const entries = addressParts.map((part) => {
    const value = Object.hasOwn(given, part) ? given[part] : null;
    return [part, partValue(part, value)] as const;
  });
  const isPlace = entries.some(([part, value]) => part !== 'type' && value !== null);
  return isPlace ? (Object.fromEntries(entries) as PostalAddressValue) : undefined;
}

/** The form in which addresses are compared: letter case and what stands between words do not count. */
export const postalKey = (address: PostalAddressValue): string =>
  addressParts
    .filter((part) => part !== 'type')
    .map((part) => (address[part] ?? '').normalize('NFKC').toLowerCase())
    .map((text) => text.replaceAll(/[\s,;.]+/g, ' ').trim())
    .join('\n');

/** The addresses of a list that say something of a place, however many, each once. */
export function validAddresses(given: readonly unknown[]): PostalAddressValue[] {
  const found = new Map<string, PostalAddressValue>();
  for (const one of given) {
    const address = addressOf(one);
    if (address && !found.has(postalKey(address))) found.set(postalKey(address), address);
  }
  return [...found.values()];
}

const objectExpected: Wording = {
  fr: 'objet { street, city, region, postalCode, country, type } attendu',
  en: 'expected an object { street, city, region, postalCode, country, type }',
};
const textExpected = (part: AddressPart): Wording => ({
  fr: `texte d’au plus ${addressPartMax(part)} caractères, sans caractère de contrôle, attendu`,
  en: `expected a text of at most ${addressPartMax(part)} characters without control characters`,
});

/** The fault of a part; null and absent ones have none. */
function faultOfPart(part: AddressPart, given: unknown): InnerFault['fault'] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isString(given)) return 'WRONG_TYPE';
  if (!isText(part, given)) return 'MALFORMED';
  return codePoints(given.trim()) > addressPartMax(part) ? 'TOO_LONG' : undefined;
}

/** The first part of a list of addresses that is refused, and why. */
function faultOfAddresses(given: unknown): InnerFault | undefined {
  if (!Array.isArray(given)) return undefined;
  for (const [i, one] of (given as unknown[]).entries()) {
    if (!isRecord(one)) return { at: String(i), fault: 'WRONG_TYPE', message: objectExpected };
    for (const part of addressParts) {
      const fault = faultOfPart(part, Object.hasOwn(one, part) ? one[part] : undefined);
      if (fault) return { at: `${i}.${part}`, fault, message: textExpected(part) };
    }
  }
  return undefined;
}

/** The postal addresses of a contact. */
export function PostalAddresses<const O extends ListOptions>(about: string, options: O) {
  const { max } = options;
  return field<PostalAddressValue[], O>({
    about,
    options,
    schema: () => ({
      type: 'array',
      maxItems: max,
      items: {
        type: 'object',
        properties: Object.fromEntries(
          addressParts.map((part) => [
            part,
            { type: ['string', 'null'], maxLength: addressPartMax(part), pattern: patternOf(part) },
          ]),
        ),
      },
    }),
    expects: {
      fr: `liste d’au plus ${max} adresses postales attendue`,
      en: `expected a list of at most ${max} postal addresses`,
    },
    accepts: (value) => Array.isArray(value) && value.length <= max && !faultOfAddresses(value),
    // A list with a wrong entry stays, and is refused.
    convert: (value) =>
      Array.isArray(value) && !faultOfAddresses(value) ? validAddresses(value) : value,
    faultIn: faultOfAddresses,
  });
}
