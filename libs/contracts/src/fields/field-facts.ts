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
