import { declareField } from './fields/field.js';
import { Id, IfMatch, type Dto } from './fields/index.js';
import { fieldNamed } from './fields/registry.js';
import type { IdPrefix } from './ids.js';

/** Input of an operation that needs nothing. */
export class Nothing {}

/** Input that names a record by its path. */
export function IdOf(prefix: IdPrefix, about: string) {
  class Named {
    @Id(prefix, about)
    id!: string;
  }
  return Named;
}

/** Input that names a record by its path and may say which version of it was read. */
export function VersionOf(prefix: IdPrefix, about: string) {
  class Versioned extends IdOf(prefix, about) {
    @IfMatch()
    ifMatch?: number;
  }
  return Versioned;
}

/** Input of a change: the record, and fields of its creation; what is absent stays. */
export const ChangeOf = <S extends object, const K extends keyof S & string>(
  prefix: IdPrefix,
  about: string,
  creation: Dto<S>,
  names: readonly K[],
) => withOptional(VersionOf(prefix, about), creation, names);

/**
 * Extends a class by fields of another, each of them optional and without its default: the input of a
 * change, where what is absent stays.
 */
export function withOptional<B extends object, S extends object, const K extends keyof S & string>(
  base: Dto<B>,
  source: Dto<S>,
  names: readonly K[],
): Dto<B & Partial<Pick<S, K>>> {
  const extended = class extends (base as Dto) {};
  for (const name of names) {
    const field = fieldNamed(source, name);
    if (!field) throw new Error(`${source.name}.${name} has no field decorator`);
    declareField(extended.prototype, { ...field, optional: true, default: undefined });
  }
  return extended as Dto<B & Partial<Pick<S, K>>>;
}
