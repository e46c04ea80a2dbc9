import { addressMax } from './address.js';
import { addressLengthMax, Recipient, recipientsMax } from './address-list.js';
import { field, type Presence } from './field.js';
import { addressesGiven, recipientsLengthMax } from './given-addresses.js';

interface AddressesOptions extends Presence {
  /** Refuse a field that names nobody, as if it were missing. */
  readonly filled?: boolean;
  readonly default?: readonly Recipient[];
}

const addressSchema = { type: 'string', format: 'recipient-address', maxLength: addressMax };
const entrySchema = { type: 'string', format: 'recipient', maxLength: addressLengthMax };
const objectSchema = {
  type: 'object',
  properties: {
    email: addressSchema,
    address: { ...addressSchema, description: 'Another name of `email`.' },
    name: {
      type: ['string', 'null'],
      pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`,
      maxLength: addressLengthMax,
      description: 'Display name; with the address at most 640 characters.',
    },
  },
  oneOf: [{ required: ['email'] }, { required: ['address'] }],
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
