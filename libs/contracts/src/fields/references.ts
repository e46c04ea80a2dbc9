import type { Reference } from './faults.js';
import type { Field } from './field-facts.js';
import { fieldsOf } from './registry.js';

/** A field that names a resource of the workspace. */
export interface NamedReference {
  /** Dotted path within the input, `task.teamId`. */
  readonly field: string;
  readonly refersTo: Reference;
}

/** The fields that name a resource, those of nested objects too; not those of a list's items. */
export const referencesOf = (fields: readonly Field[], within = ''): readonly NamedReference[] =>
  fields.flatMap(({ name, part, list, refersTo }) => {
    if (refersTo) return [{ field: within + name, refersTo }];
    return part && !list ? referencesOf(fieldsOf(part()), `${within}${name}.`) : [];
  });
