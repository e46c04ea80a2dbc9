import {
  addressLengthMax,
  addressMax,
  Recipient,
  recipientNamed,
  recipientsMax,
  recipientsOf,
} from './address.js';
import type { InnerFault, Wording } from './faults.js';
import { codePoints, isRecord, isString, type RawValues } from './values.js';
import { field, type Presence } from './field.js';

interface AddressesOptions extends Presence {
  /** Refuse a field that names no recipient, as if it were missing. */
  readonly filled?: boolean;
  readonly default?: readonly Recipient[];
}

const addressSchema = { type: 'string', format: 'recipient-address', maxLength: addressMax };
const entrySchema = { type: 'string', format: 'recipient', maxLength: addressLengthMax };
const nameSchema = {
  type: ['string', 'null'],
  pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`,
  maxLength: addressLengthMax,
  description: 'Display name; with the address at most 640 characters.',
};
const objectSchema = {
  title: 'RecipientObject',
  type: 'object',
  properties: {
    email: addressSchema,
    address: { ...addressSchema, description: 'Another name of `email`.' },
    name: nameSchema,
  },
  oneOf: [
    { properties: { email: addressSchema }, required: ['email'] },
    { properties: { address: addressSchema }, required: ['address'] },
  ],
  additionalProperties: false,
};

/**
 * The addresses of a message's field, in every form of public-api.md §4; at most 500. Decoded to
 * recipients whose `email` is canonical: the local part as given, the domain in lower case as people
 * read it (U-labels). `wireAddress` gives what SMTP carries.
 */
export function Addresses<const O extends AddressesOptions>(about: string, options?: O) {
  const { filled = false } = options ?? {};
  const items = { maxItems: recipientsMax, ...(filled && { minItems: 1 }) };
  return field<Recipient[], O>({
    about,
    options,
    schema: () => ({
      title: filled ? 'RequiredRecipients' : 'Recipients',
      oneOf: [
        {
          type: 'string',
          format: 'recipients',
          maxLength: recipientsLengthMax,
          ...(filled && { minLength: 1 }),
        },
        { type: 'array', ...items, items: { oneOf: [entrySchema, objectSchema] } },
      ],
    }),
    expects: { fr: 'au moins une adresse attendue', en: 'expected at least one address' },
    // Only what was read is of this class; what JSON brought is not.
    accepts: (value) =>
      Array.isArray(value) &&
      value.every((one) => one instanceof Recipient) &&
      (value.length > 0 || !filled),
    convert: (value) => addressesGiven(value).recipients ?? value,
    faultIn: (value) => addressesGiven(value).fault,
  });
}

/** Code points of a comma-separated text: so many addresses, with a comma and a blank between. */
export const recipientsLengthMax = recipientsMax * (addressLengthMax + 2);

const form: Wording = {
  fr:
    'adresses attendues : un texte séparé par des virgules, une liste de textes, ' +
    'ou une liste d’objets { email, name }',
  en:
    'expected addresses: a comma-separated text, a list of texts, ' +
    'or a list of objects { email, name }',
};
const unusable: Wording = {
  fr: `adresse inutilisable, ou de plus de ${addressLengthMax} caractères, nom compris`,
  en: `unusable address, or one of more than ${addressLengthMax} characters, name included`,
};
const tooMany: Wording = {
  fr: `au plus ${recipientsMax} adresses attendues`,
  en: `expected at most ${recipientsMax} addresses`,
};

type Given =
  | { readonly recipients: readonly Recipient[]; readonly fault?: never }
  | { readonly recipients?: never; readonly fault: InnerFault };

/**
 * The addresses of a field in any of its forms (public-api.md §4, "Address forms"): a comma-separated
 * text, a list of texts with one address each, a list of objects; an empty text holds none.
 */
export function addressesGiven(value: unknown): Given {
  if (isString(value)) return value === '' ? { recipients: [] } : listedIn(value);
  if (!Array.isArray(value)) return { fault: { at: '', fault: 'WRONG_TYPE', message: form } };
  // Limits count before anything is read: a hostile list costs nothing.
  if (value.length > recipientsMax)
    return { fault: { at: '', fault: 'TOO_LONG', message: tooMany } };
  const recipients: Recipient[] = [];
  for (const [i, entry] of (value as unknown[]).entries()) {
    const recipient = entryOf(entry);
    if (!recipient) return { fault: { at: String(i), message: unusable } };
    recipients.push(recipient);
  }
  return { recipients };
}

function listedIn(text: string): Given {
  if (codePoints(text) > recipientsLengthMax)
    return { fault: { at: '', fault: 'TOO_LONG', message: tooMany } };
  const recipients = recipientsOf(text);
  if (!recipients) return { fault: { at: '', message: unusable } };
  if (recipients.length > recipientsMax)
    return { fault: { at: '', fault: 'TOO_LONG', message: tooMany } };
  return { recipients };
}

/** One entry of a list: exactly one address. */
function entryOf(entry: unknown): Recipient | undefined {
  if (isString(entry)) {
    // With white space around it, but not without end: a hostile text is not taken to pieces.
    if (entry.length > 4 * addressLengthMax) return undefined;
    const recipients = recipientsOf(entry);
    return recipients?.length === 1 ? recipients[0] : undefined;
  }
  return isRecord(entry) ? personOf(entry) : undefined;
}

/** An object with exactly one of `email` and `address`, perhaps a name, and nothing else. */
function personOf({ email, address, name, ...others }: RawValues): Recipient | undefined {
  const isOne = (email === undefined) !== (address === undefined);
  if (!isOne || Object.keys(others).length > 0) return undefined;
  const given = email ?? address;
  const shown = name ?? '';
  return isString(given) && isString(shown) ? recipientNamed(given, shown) : undefined;
}
