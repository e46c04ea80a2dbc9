import { field, type Presence } from './field.js';
import { isRecord } from './values.js';

/** A JSON object whose members are those of something else: an input, an answer, a resource. */
export function JsonObject<const O extends Presence>(about: string, options?: O) {
  return field<Readonly<Record<string, unknown>>, O>({
    about,
    options,
    schema: () => ({ type: 'object' }),
    expects: { fr: 'objet JSON attendu', en: 'expected a JSON object' },
    accepts: isRecord,
  });
}
