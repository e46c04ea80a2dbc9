import 'reflect-metadata';

/** A class whose properties carry field decorators: a DTO of the contract. */
export type Dto<T extends object = object> = new () => T;

/** A JSON Schema (2020-12, as OpenAPI 3.1 uses it). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The same short sentence in the languages of the surfaces: public texts French, the rest English. */
export interface Wording {
  readonly fr: string;
  readonly en: string;
}

/** All that is known of one property; every reader (validation, decoding, OpenAPI, tools) reads this. */
export interface Field {
  readonly name: string;
  /** One English sentence for the published documents. */
  readonly about: string;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** Taken when the property is absent. */
  readonly default?: unknown;
  /** Inline schema of a value that is neither absent nor null. */
  readonly schema: () => JsonSchema;
  /** What the field takes, said to whoever sent something else. */
  readonly expects: Wording;
  /** From the text of a path segment or query parameter; JSON values skip it. */
  readonly fromText?: (text: string) => unknown;
  /** From a JSON value (or what `fromText` gave) to the property's own form; never throws. */
  readonly convert?: (value: unknown) => unknown;
  /** The DTO of a nested object, or of a list's items. */
  readonly part?: () => Dto;
  readonly list: boolean;
}

const fieldsByClass = new Map<object, Map<string, Field>>();

/** Records a field of the class whose prototype is given; a property has one field decorator. */
export function registerField(prototype: object, field: Field): void {
  const own = fieldsByClass.get(prototype) ?? new Map<string, Field>();
  if (own.has(field.name)) {
    throw new Error(`${prototype.constructor.name}.${field.name} has two field decorators`);
  }
  own.set(field.name, field);
  fieldsByClass.set(prototype, own);
}

const gathered = new Map<Dto, readonly Field[]>();

/** The fields of a DTO, inherited ones first, in the order of declaration. */
export function fieldsOf(dto: Dto): readonly Field[] {
  const known = gathered.get(dto);
  if (known) return known;
  const chain: object[] = [];
  for (let p: object | null = dto.prototype as object; p; p = Object.getPrototypeOf(p) as object) {
    chain.unshift(p);
  }
  const fields = chain.flatMap((prototype) => [...(fieldsByClass.get(prototype)?.values() ?? [])]);
  gathered.set(dto, fields);
  return fields;
}
