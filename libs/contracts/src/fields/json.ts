import { field, type Presence } from './field.js';
import { isCleanText, isRecord } from './values.js';

/** Levels of objects and lists in each other; nothing that we answer or take has as many. */
const depthMax = 64;

/** Whether PostgreSQL can keep a value that JSON can say: no NUL and no half of a surrogate pair in it. */
function isStorable(value: unknown, depth = depthMax): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.entries(value).every(
    ([name, inner]) => isCleanText(name) && isStorable(inner, depth - 1),
  );
}

/** A JSON object whose members are those of something else: an input, an answer, a resource. */
export function JsonObject<const O extends Presence>(about: string, options?: O) {
  return field<Readonly<Record<string, unknown>>, O>({
    about,
    options,
    schema: () => ({ type: 'object' }),
    expects: { fr: 'objet JSON attendu', en: 'expected a JSON object' },
    accepts: (value) => isRecord(value) && isStorable(value),
  });
}
