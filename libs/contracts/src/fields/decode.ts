import { validateSync, type ValidationError } from 'class-validator';
import { fieldsOf, type Dto, type Field, type Wording } from './registry.js';

/** One fault of an input: where, and what was expected there. */
export interface Violation {
  /** Dotted path, `mailboxes.0.address`; empty for the body as a whole. */
  readonly field: string;
  readonly message: Wording;
}

export type Decoded<T> =
  | { readonly input: T; readonly violations?: never }
  | { readonly input?: never; readonly violations: readonly Violation[] };

/** Raw values as they came: texts for path and query, anything for a JSON body. */
export type RawValues = Readonly<Record<string, unknown>>;

export interface DecodeOptions {
  /** Values that are texts (path and query) and win over the body's. */
  readonly texts?: RawValues;
  /** The JSON body; undefined where the operation reads none. */
  readonly body?: unknown;
  /** Free-form bodies ignore what they do not know (`decisions.md` §1); the others refuse it. */
  readonly unknownFields?: 'refuse' | 'ignore';
}

const unknownField: Wording = { fr: 'champ inconnu', en: 'unknown field' };
const objectExpected: Wording = { fr: 'objet JSON attendu', en: 'expected a JSON object' };

const isRecord = (value: unknown): value is RawValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes a validated instance of a DTO from raw values, or says everything that is wrong with them.
 * Only declared fields are copied, own properties only, so nothing a sender invents gets further.
 */
export function decode<T extends object>(dto: Dto<T>, options: DecodeOptions): Decoded<T> {
  const { texts = {}, body = {}, unknownFields = 'refuse' } = options;
  if (!isRecord(body)) return { violations: [{ field: '', message: objectExpected }] };
  const strangers: Violation[] = [];
  const input = fill(dto, (field) => raw(field, texts, body), '', { unknownFields, strangers });
  if (unknownFields === 'refuse') refuseUnknown(dto, body, '', strangers, texts);
  const faults = validateSync(input, { forbidUnknownValues: false, stopAtFirstError: true });
  const violations = [...strangers, ...faults.flatMap((fault) => explain(dto, fault, ''))];
  return violations.length > 0 ? { violations } : { input };
}

/** An instance from values that were validated before: the far end of a signed envelope. */
export function instantiate<T extends object>(dto: Dto<T>, values: unknown): T {
  const source = isRecord(values) ? values : {};
  return fill(dto, (field) => own(source, field.name), '', { unknownFields: 'ignore', strangers: [] });
}

interface Filling {
  readonly unknownFields: 'refuse' | 'ignore';
  readonly strangers: Violation[];
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
    // Null stays null (it clears); only an absent value takes the default.
    const value = valueOf(field);
    if (value === undefined) {
      if (field.default !== undefined) Reflect.set(input, field.name, field.default);
    } else {
      Reflect.set(input, field.name, shape(field, value, at, filling));
    }
  }
  return input;
}

function shape(field: Field, value: unknown, at: string, filling: Filling): unknown {
  const path = at + field.name;
  if (!field.part) return field.convert ? field.convert(value) : value;
  const part = field.part();
  const item = (one: unknown, where: string): unknown => {
    if (!isRecord(one)) return one;
    if (filling.unknownFields === 'refuse') refuseUnknown(part, one, where, filling.strangers);
    return fill(part, (inner) => own(one, inner.name), where, filling);
  };
  if (!field.list) return item(value, `${path}.`);
  return Array.isArray(value) ? value.map((one, i) => item(one, `${path}.${i}.`)) : value;
}

function refuseUnknown(
  dto: Dto,
  values: RawValues,
  at: string,
  strangers: Violation[],
  texts: RawValues = {},
): void {
  const known = new Set(fieldsOf(dto).map((field) => field.name));
  for (const name of Object.keys(values)) {
    // A name that the path owns cannot be given again in the body.
    if (!known.has(name) || Object.hasOwn(texts, name)) {
      strangers.push({ field: at + name.slice(0, 100), message: unknownField });
    }
    if (strangers.length >= 20) return;
  }
}

function explain(dto: Dto, fault: ValidationError, at: string): Violation[] {
  const field = fieldsOf(dto).find((one) => one.name === fault.property);
  const path = at + fault.property;
  if (fault.constraints || !field?.part) {
    return [{ field: path, message: field?.expects ?? unknownField }];
  }
  const part = field.part();
  return (fault.children ?? []).flatMap((child) =>
    field.list
      ? (child.children ?? []).flatMap((inner) => explain(part, inner, `${path}.${child.property}.`))
      : explain(part, child, `${path}.`),
  );
}
