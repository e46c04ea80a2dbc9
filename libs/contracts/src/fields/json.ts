import { field, type Presence } from './field.js';
import { isCleanText, isRecord } from './values.js';

/** A JSON object whose members are those of something else: an input, an answer, a resource. */
export function JsonObject<const O extends Presence>(about: string, options?: O) {
  return field<Readonly<Record<string, unknown>>, O>({
    about,
    options,
    schema: () => ({ type: 'object' }),
    expects: { fr: 'objet JSON attendu', en: 'expected a JSON object' },
    accepts: (value) => isRecord(value) && isClean(value),
  });
}

/** Whether every text in it, names too, is one that PostgreSQL can keep. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (Array.isArray(value)) return value.every(isClean);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([name, inner]) => isCleanText(name) && isClean(inner));
}
