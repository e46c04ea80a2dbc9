import { fieldsOf, type Streamed, type Field } from './registry.js';

/** Of a body, unless its operation says otherwise; what is not put apart comes within it. */
export const bodyBytesMax = 1024 * 1024;

/** Where in a body texts are that are put aside. */
export interface StreamedPart extends Streamed {
  /** Names from the body's root to such a text, `*` for each item of a list. */
  readonly path: readonly string[];
}

/** What of a body is put aside while it is read: nothing, for most. */
export const streamedParts = (fields: readonly Field[]): readonly StreamedPart[] =>
  fields.flatMap(({ name, list, part, streamed }) => {
    if (streamed) return [{ ...streamed, path: [name, '*', streamed.property] }];
    const inner = part ? streamedParts(fieldsOf(part())) : [];
    return inner.map((one) => ({ ...one, path: [name, ...(list ? ['*'] : []), ...one.path] }));
  });
