import type { FaultCode } from './fault-code.js';
import type { JsonSchema } from './field-facts.js';
import { codePoints, isRecord, isString } from './values.js';

/** Names the fault of a refused value, by the published schema of its field. */
export function faultCodeOf(schema: JsonSchema, value: unknown): FaultCode {
  if (value === undefined || value === null) return 'REQUIRED';
  const judge = judges[String(schema['type'])];
  if (judge) return judge(schema, value);
  const forms = [schema['anyOf'], schema['oneOf']].flatMap(branchesOf);
  const fitting = forms.find((form) => hasType(form, value));
  if (fitting) return faultCodeOf(fitting, value);
  return forms.length > 0 ? 'WRONG_TYPE' : 'MALFORMED';
}

type Judge = (schema: JsonSchema, value: unknown) => FaultCode;

const judges: Readonly<Record<string, Judge>> = {
  string: ofText,
  integer: ofNumber,
  number: ofNumber,
  boolean: (_, value) => (typeof value === 'boolean' ? 'MALFORMED' : 'WRONG_TYPE'),
  array: ofList,
  object: (_, value) => (isRecord(value) ? 'MALFORMED' : 'WRONG_TYPE'),
};

const branchesOf = (branches: unknown): readonly JsonSchema[] =>
  Array.isArray(branches) ? (branches as JsonSchema[]) : [];

function hasType({ type }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(value)) return type === 'array';
  return type === (isRecord(value) ? 'object' : typeof value);
}

/** True for a bound that the schema has and the value is beyond. */
const isOver = (bound: unknown, value: number): boolean =>
  typeof bound === 'number' && value > bound;
const isUnder = (bound: unknown, value: number): boolean =>
  typeof bound === 'number' && value < bound;

function ofText(schema: JsonSchema, value: unknown): FaultCode {
  if (!isString(value)) return 'WRONG_TYPE';
  if (Array.isArray(schema['enum'])) return 'UNKNOWN_VALUE';
  const length = codePoints(value);
  if (isOver(schema['maxLength'], length)) return 'TOO_LONG';
  return isUnder(schema['minLength'], value.trim().length) ? 'TOO_SHORT' : 'MALFORMED';
}

function ofNumber(schema: JsonSchema, value: unknown): FaultCode {
  if (isString(value)) return 'NOT_A_NUMBER';
  if (typeof value !== 'number') return 'WRONG_TYPE';
  if (isOver(schema['maximum'], value)) return 'TOO_LARGE';
  if (isUnder(schema['minimum'], value)) return 'TOO_SMALL';
  return 'WRONG_TYPE';
}

function ofList(schema: JsonSchema, value: unknown): FaultCode {
  if (!Array.isArray(value)) return 'WRONG_TYPE';
  if (isOver(schema['maxItems'], value.length)) return 'TOO_LONG';
  if (isUnder(schema['minItems'], value.length)) return 'TOO_SHORT';
  const { items } = schema;
  if (!isRecord(items)) return 'MALFORMED';
  // The first entry that its schema refuses; what is wrong with none of them is their combination.
  for (const item of value as unknown[]) {
    const code = faultCodeOf(items, item);
    if (code !== 'MALFORMED' && !fits(items, item)) return code;
  }
  return 'MALFORMED';
}

/** True for an entry in which a schema of words, lengths and bounds finds no fault. */
function fits(schema: JsonSchema, value: unknown): boolean {
  const words: unknown = schema['enum'];
  if (Array.isArray(words)) return words.includes(value);
  if (typeof value !== 'number' || schema['type'] !== 'integer') return false;
  return (
    Number.isInteger(value) &&
    !isOver(schema['maximum'], value) &&
    !isUnder(schema['minimum'], value)
  );
}
