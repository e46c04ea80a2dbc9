import { field } from './field.js';

/**
 * The version that a change is meant for, from the `If-Match` header (`decisions.md` §1): a bare
 * number, or in quotes as RFC 9110 §8.8.3 writes a tag. `*` means any, as if it were absent.
 */
export function IfMatch() {
  return field<number, { optional: true }>({
    about: 'Version that was read; another one by now is a conflict.',
    options: { optional: true },
    header: 'If-Match',
    schema: () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    expects: { fr: 'numéro de version attendu', en: 'expected a version number' },
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    fromText: (text) => {
      if (text === '*') return undefined;
      const version = /^(?:(\d{1,15})|"(\d{1,15})")$/.exec(text);
      return version ? Number(version[1] ?? version[2]) : text;
    },
  });
}
