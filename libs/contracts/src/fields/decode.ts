import { getMetadataStorage, validateSync } from 'class-validator';
import type { Violation, Wording } from './faults.js';
import type { Dto, Field } from './field-facts.js';
import { fieldNamed, fieldsOf } from './registry.js';
import { isRecord, type RawValues } from './values.js';
import { explain, fault, pathMax, unknownField } from './violations.js';

rememberRules();

export type Decoded<T> =
  | {
      readonly input: T;
      /** Dotted names in the body that a free-form input does not know, the first 20. */
      readonly ignored: readonly string[];
      readonly violations?: never;
    }
  | {
      readonly input?: never;
      readonly violations: readonly Violation[];
      /** The input without the fields at fault; null of what is no input at all. */
      readonly sound: T | null;
    };

export interface DecodeOptions {
  /** Values that are texts (path and query) and win over the body's; a repeated one is an array. */
  readonly texts?: RawValues;
  /** The JSON body; undefined where the operation reads none. */
  readonly body?: unknown;
  /** Free-form bodies ignore what they do not know (`decisions.md` §1); the others refuse it. */
  readonly unknownFields?: 'refuse' | 'ignore';
}

const objectExpected: Wording = { fr: 'objet JSON attendu', en: 'expected a JSON object' };
const givenTwice: Wording = { fr: 'paramètre donné plusieurs fois', en: 'parameter given twice' };

/** Enough to mend a request by; a hostile one gets no longer answer for being longer. */
const violationsMax = 20;

/**
 * Makes a validated instance of a DTO from raw values, or says what is wrong with them (the first 20
 * faults). Only declared fields are copied, own properties only, so nothing a sender invents gets
 * further.
 */
export function decode<T extends object>(dto: Dto<T>, options: DecodeOptions): Decoded<T> {
  const { texts = {}, body = {}, unknownFields = 'refuse' } = options;
  const repeated = Object.keys(texts).filter((name) => Array.isArray(texts[name]));
  if (repeated.length > 0)
    return refused(repeated.map((name) => fault(name, givenTwice, 'MALFORMED')));
  if (!isRecord(body)) return refused([fault('', objectExpected, 'WRONG_TYPE')]);
  const strangers: string[] = [];
  const input = fill(dto, (field) => raw(field, texts, body), '', { strangers });
  noteUnknown(dto, body, '', strangers, texts);
  const faults = validateSync(input, { forbidUnknownValues: false, stopAtFirstError: true });
  const isClosed = unknownFields === 'refuse';
  const violations = [
    ...(isClosed ? strangers.map((name) => fault(name, unknownField, 'UNKNOWN_FIELD')) : []),
    ...faults.flatMap((one) => explain(dto, one, '')),
  ];
  if (violations.length === 0) return { input, ignored: strangers };
  for (const { property } of faults) Reflect.deleteProperty(input, property);
  return refused(violations, input);
}

const refused = <T>(violations: readonly Violation[], sound: T | null = null) => ({
  violations: violations.slice(0, violationsMax),
  sound,
});

/**
 * An instance from values that were validated before, as they are: the far end of a signed envelope. The near
 * end may have put something in the place of a value (bytes that were stored) that no sender may give.
 */
export function instantiate<T extends object>(dto: Dto<T>, values: unknown): T {
  const source = isRecord(values) ? values : {};
  return fill(dto, (field) => own(source, field.name), '', {
    isDecoded: true,
  });
}

interface Filling {
  /** The values were converted before. */
  readonly isDecoded?: boolean;
  /** Takes the names that no DTO declares. */
  readonly strangers?: string[];
}

const own = (values: RawValues, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function raw(field: Field, texts: RawValues, body: RawValues): unknown {
  const text = own(texts, field.name);
  if (text === undefined) return own(body, field.name);
  return typeof text === 'string' && field.fromText ? field.fromText(text) : text;
}

function fill<T extends object>(
  dto: Dto<T>,
  valueOf: (field: Field) => unknown,
  at: string,
  filling: Filling,
): T {
  const input = new dto();
  for (const field of fieldsOf(dto)) {
    // Null stays null (it clears), but where it says no more than an absent value, which takes the default.
    const value = valueOf(field);
    if (value === undefined || (value === null && field.nullable === 'absent')) {
      if (field.default !== undefined) Reflect.set(input, field.name, fresh(field.default));
    } else {
      Reflect.set(input, field.name, shape(field, value, at, filling));
    }
  }
  return input;
}

/** A default that is a list is copied, so that no request can change it for the next. */
const fresh = (value: unknown): unknown =>
  Array.isArray(value) ? [...(value as unknown[])] : value;

function shape(field: Field, value: unknown, at: string, filling: Filling): unknown {
  if (!field.part) return field.convert && !filling.isDecoded ? field.convert(value) : value;
  // A value that the field refuses as a whole (a list too long) is not worth taking apart.
  if (!field.accepts(value)) return value;
  const part = field.part();
  const item = (one: unknown, where: string): unknown => {
    if (!isRecord(one)) return one;
    if (filling.strangers) noteUnknown(part, one, where, filling.strangers);
    return fill(part, (inner) => own(one, inner.name), where, filling);
  };
  const path = at + field.name;
  return Array.isArray(value)
    ? value.map((one, i) => item(one, `${path}.${i}.`))
    : item(value, `${path}.`);
}

function noteUnknown(
  dto: Dto,
  values: RawValues,
  at: string,
  strangers: string[],
  texts: RawValues = {},
): void {
  for (const name of Object.keys(values)) {
    if (strangers.length >= violationsMax) return;
    // A name that the path owns cannot be given again in the body.
    if (!fieldNamed(dto, name) || Object.hasOwn(texts, name)) {
      strangers.push(`${at}${name}`.slice(0, pathMax));
    }
  }
}

type Storage = ReturnType<typeof getMetadataStorage>;
type Gather = Storage['getTargetValidationMetadatas'];

/**
 * Has class-validator remember the rules of a class. For each input it gathers them from those of every class
 * there is, which with 300 of them takes a sixth of a list's requests (A1). Only what is asked for without
 * groups is remembered, which is how inputs are validated here; the schema is the name of the class that an
 * input is a part of, and changes nothing for a class.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const gather: Gather = storage.getTargetValidationMetadatas.bind(storage);
  const byClass = new WeakMap<object, ReturnType<Gather>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (always || strictGroups || groups)
      return gather(target, schema, always, strictGroups, groups);
    const rules = byClass.get(target) ?? gather(target, schema, always, strictGroups, groups);
    byClass.set(target, rules);
    return rules;
  };
}
