import type { ValidationError } from 'class-validator';
import type { FaultCode } from './fault-code.js';
import { faultCodeOf } from './fault-of-value.js';
import type { Violation, Wording } from './faults.js';
import type { Dto, Field } from './field-facts.js';
import { fieldNamed } from './registry.js';

export const unknownField: Wording = { fr: 'champ inconnu', en: 'unknown field' };

/** Characters of a path of names, some of which the sender chose. */
export const pathMax = 200;

/** A fault at a path, which is cut: a long name makes no long answer. */
export const fault = (field: string, message: Wording, code: FaultCode): Violation => ({
  field: field.slice(0, pathMax),
  fault: code,
  message,
});

/** The faults that class-validator found in a value, and in the objects within it. */
export function explain(dto: Dto, error: ValidationError, at: string): Violation[] {
  const field = fieldNamed(dto, error.property);
  if (!field) return [fault(at + error.property, unknownField, 'UNKNOWN_FIELD')];
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

const codeOf = (field: Field, value: unknown): FaultCode =>
  faultCodeOf(
    field.schema(() => ({ type: 'object' })),
    value,
  );

function faultOf(field: Field, value: unknown, path: string): Violation {
  const inner = field.faultIn?.(value);
  const code = field.refusedAs?.(value);
  const found = inner
    ? fault(inner.at ? `${path}.${inner.at}` : path, inner.message, inner.fault ?? 'MALFORMED')
    : fault(path, field.expects, codeOf(field, value));
  return code === undefined ? found : { ...found, code };
}
