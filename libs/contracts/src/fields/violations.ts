import type { ValidationError } from 'class-validator';
import type { Violation, Wording } from './faults.js';
import type { Dto, Field } from './field-facts.js';
import { fieldNamed } from './registry.js';

export const unknownField: Wording = { fr: 'champ inconnu', en: 'unknown field' };

/** A fault at a path, which is cut: a long name makes no long answer. */
export const fault = (field: string, message: Wording): Violation => ({
  field: field.slice(0, 200),
  message,
});

/** The faults that class-validator found in a value, and in the objects within it. */
export function explain(dto: Dto, error: ValidationError, at: string): Violation[] {
  const field = fieldNamed(dto, error.property);
  if (!field) return [fault(at + error.property, unknownField)];
  const path = field.header ?? at + error.property;
  if (error.constraints || !field.part) return [faultOf(field, error.value, path)];
  const part = field.part();
  return (error.children ?? []).flatMap((child) =>
    field.list
      ? (child.children ?? []).flatMap((inner) =>
          explain(part, inner, `${path}.${child.property}.`),
        )
      : explain(part, child, `${path}.`),
  );
}

function faultOf(field: Field, value: unknown, path: string): Violation {
  const inner = field.faultIn?.(value);
  const code = field.refusedAs?.(value);
  const found = inner
    ? fault(inner.at ? `${path}.${inner.at}` : path, inner.message)
    : fault(path, field.expects);
  return code === undefined ? found : { ...found, code };
}
