import 'reflect-metadata';
import type { InnerFault, Reference, Wording } from './faults.js';

/** A class whose properties carry field decorators: a DTO of the contract. */
export type Dto<T extends object = object> = new () => T;

/** A JSON Schema (2020-12, as OpenAPI 3.1 uses it). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Schema of a nested DTO: written out, or as a reference to it. */
export type Nested = (dto: Dto) => JsonSchema;

/**
 * Bytes that come as base64 in each object of a list, and are put aside while the body is read: the
 * text then is where they are.
 */
export interface Streamed {
  /** Name of the text in each object. */
  readonly property: string;
  /** Texts of a body, and base64 characters of all of them, beyond which nothing is put aside. */
  readonly countMax: number;
  readonly charactersMax: number;
}

/** All that is known of one property; every reader (validation, decoding, OpenAPI, tools) reads this. */
export interface Field {
  readonly name: string;
  /** One English sentence for the published documents. */
  readonly about: string;
  readonly optional: boolean;
  /** `absent`: null is taken for an absent value. */
  readonly nullable: boolean | 'absent';
  /** Taken when the property is absent. */
  readonly default?: unknown;
  /** Schema of a value that is neither absent nor null. */
  readonly schema: (nested: Nested) => JsonSchema;
  /** The value that the field expects, as the refusal of another one words it. */
  readonly expects: Wording;
  /** True if a value that is neither absent nor null fits; of a nested object, its kind alone. */
  readonly accepts: (value: unknown) => boolean;
  /** From the text of a path segment or query parameter; JSON values skip it. */
  readonly fromText?: (text: string) => unknown;
  /** The fault inside a value that does not fit; undefined where `expects` says it all. */
  readonly faultIn?: (value: unknown) => InnerFault | undefined;
  /** The stable code of a value that does not fit, in a family that answers codes. */
  readonly refusedAs?: (value: unknown) => string | undefined;
  /** From a JSON value (or what `fromText` gave) to the property's own form; never throws. */
  readonly convert?: (value: unknown) => unknown;
  /** The DTO of a nested object, or of a list's items. */
  readonly part?: () => Dto;
  readonly list: boolean;
  /** The request header it comes in, instead of the query or the body. */
  readonly header?: string;
  /** The part of this list that is put aside while the body is read. */
  readonly streamed?: Streamed;
  /** The resource that it names must exist in the caller's workspace, unless it was named there before. */
  readonly refersTo?: Reference;
}

const fieldsByClass = new Map<object, Map<string, Field>>();

/** A prototype and those it inherits from, the root first. */
function chainOf(prototype: object): readonly object[] {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  return parent ? [...chainOf(parent), prototype] : [prototype];
}

/**
 * Records a field of the class whose prototype is given.
 *
 * @throws Error when the property has a field decorator already, here or in a class it extends:
 * class-validator would apply both, the schema only one.
 */
export function registerField(prototype: object, field: Field): void {
  if (chainOf(prototype).some((one) => fieldsByClass.get(one)?.has(field.name))) {
    throw new Error(`${prototype.constructor.name}.${field.name} has two field decorators`);
  }
  const own = fieldsByClass.get(prototype) ?? new Map<string, Field>();
  fieldsByClass.set(prototype, own.set(field.name, field));
}

interface Gathered {
  readonly list: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
}

const gathered = new Map<Dto, Gathered>();

function gather(dto: Dto): Gathered {
  const known = gathered.get(dto);
  if (known) return known;
  const chain = chainOf(dto.prototype as object);
  const list = chain.flatMap((prototype) => [...(fieldsByClass.get(prototype)?.values() ?? [])]);
  const all = { list, byName: new Map(list.map((field) => [field.name, field])) };
  gathered.set(dto, all);
  return all;
}

/** The fields of a DTO, inherited ones first, in the order of declaration. */
export const fieldsOf = (dto: Dto): readonly Field[] => gather(dto).list;

/** The field of a property; undefined for a name the DTO does not declare. */
export const fieldNamed = (dto: Dto, name: string): Field | undefined =>
  gather(dto).byName.get(name);
