import { declareField } from './field.js';
import { fieldNamed, type Dto } from './registry.js';

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
