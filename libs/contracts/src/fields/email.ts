import { field, type Presence } from './field.js';
import { emailMax, isEmail } from './values.js';

const address = {
  schema: () => ({ type: 'string', format: 'idn-email', maxLength: emailMax }),
  expects: { fr: 'adresse électronique attendue', en: 'expected an email address' },
  accepts: isEmail,
  convert: (value: unknown) => (isEmail(value) ? value.toLowerCase() : value),
};

/** One mail address, kept in lower case: the service compares addresses without case. */
export function Email<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({ ...address, about, options });
}

/** The address of an active member of the workspace: the gateway refuses any other. */
export function MemberEmail<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({ ...address, about, options, refersTo: 'activeMember' });
}

/** One mail address, or one word that stands for having none. */
export function EmailOr<const O extends Presence>(word: string, about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ anyOf: [{ type: 'string', const: word }, address.schema()] }),
    expects: {
      fr: `adresse électronique ou « ${word} » attendue`,
      en: `expected an email address or "${word}"`,
    },
    accepts: (value) => value === word || isEmail(value),
    convert: address.convert,
  });
}

/** A mail address in lower case; what is none is taken for none (public-api.md §2, Task). */
export function EmailOrNone<const O extends Presence & { readonly nullable: true }>(
  about: string,
  options: O,
) {
  const convert = (value: unknown) => (isEmail(value) ? value.toLowerCase() : null);
  return field<string, O>({ ...address, about, options, convert });
}
