import type { Field, Streamed } from './field-facts.js';
import { fieldsOf } from './registry.js';

/** Bytes of a body, unless its operation says otherwise, without the texts that are put aside. */
export const bodyBytesMax = 1024 * 1024;

/** Texts in a body that are put aside. */
export interface StreamedPart extends Streamed {
  /** Names from the body's root to such a text, `*` for each item of a list. */
  readonly path: readonly string[];
}

/** The parts of a body that are put aside while it is read: none, for most. */
export const streamedParts = (fields: readonly Field[]): readonly StreamedPart[] =>
  fields.flatMap(({ name, list, part, streamed }) => {
    if (streamed) return [{ ...streamed, path: [name, '*', streamed.property] }];
    const inner = part ? streamedParts(fieldsOf(part())) : [];
    return inner.map((one) => ({ ...one, path: [name, ...(list ? ['*'] : []), ...one.path] }));
  });
