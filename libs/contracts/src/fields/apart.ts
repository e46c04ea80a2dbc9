import { fieldsOf, type Apart, type Field } from './registry.js';

/** Of a body, unless its row says otherwise; what is not put apart comes within it. */
export const bodyBytesMax = 1024 * 1024;

/** Where in a body texts are that are put aside. */
export interface PartApart extends Apart {
  /** Names from the body's root to such a text, `*` for each item of a list. */
  readonly path: readonly string[];
}

/** What of a body is put aside while it is read: nothing, for most. */
export const partsApart = (fields: readonly Field[]): readonly PartApart[] =>
  fields.flatMap(({ name, list, part, apart }) => {
    if (apart) return [{ ...apart, path: [name, '*', apart.property] }];
    const inner = part ? partsApart(fieldsOf(part())) : [];
    return inner.map((one) => ({ ...one, path: [name, ...(list ? ['*'] : []), ...one.path] }));
  });
