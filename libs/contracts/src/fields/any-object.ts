import { field, type Presence } from './field.js';
import { isRecord } from './values.js';

/** An object whose shape is told elsewhere. */
export function AnyObject<const O extends Presence>(about: string, options?: O) {
  return field<object, O>({
    about,
    options,
    schema: () => ({ type: 'object' }),
    expects: { fr: 'objet attendu', en: 'expected an object' },
    accepts: isRecord,
  });
}
