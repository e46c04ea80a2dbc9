import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import type { InnerFault, Reference, Wording } from './faults.js';
import type { Dto, Field, JsonSchema, Nested, Streamed } from './field-facts.js';
import { registerField } from './registry.js';

/** Options of every field decorator beside its own. */
export interface Presence {
  /** The property may be absent (`name?: T`). */
  readonly optional?: boolean;
  /** The stable code of a value that does not fit, in a family that answers codes (`coded-refusal.ts`). */
  readonly refusedAs?: (value: unknown) => string | undefined;
  /** The value may be null (`T | null`); `absent`: which then says as much as leaving it out. */
  readonly nullable?: boolean | 'absent';
}

/** Options of every decorator of a list. */
export interface ListOptions extends Presence {
  /** Items. */
  readonly max: number;
}

type Valued<V, O extends Presence> =
  | V
  | (O extends { nullable: true } ? null : never)
  | (O extends { optional: true } ? undefined : never);

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/**
 * A property decorator that compiles only on a property of exactly the type it decodes to, so a
 * wrong pair (`@Flag() name: string`) is a compile error and not a surprise at run time.
 */
export type FieldDecorator<V> = <T extends object, K extends keyof T & string>(
  prototype: T,
  name: Same<T[K], V> extends true ? K : never,
) => void;

/** Definition of a field decorator; the rest of {@link Field} follows from it. */
export interface FieldDefinition<O extends Presence> {
  readonly about: string;
  readonly options: (O & { readonly default?: unknown }) | undefined;
  readonly schema: (nested: Nested) => JsonSchema;
  readonly expects: Wording;
  readonly accepts: (value: unknown) => boolean;
  readonly fromText?: (text: string) => unknown;
  readonly faultIn?: (value: unknown) => InnerFault | undefined;
  readonly convert?: (value: unknown) => unknown;
  readonly part?: () => Dto;
  readonly list?: boolean;
  readonly header?: string;
  readonly streamed?: Streamed;
  readonly refersTo?: Reference;
}

/** Builds a field decorator: validates with class-validator, records itself in the registry. */
export function field<V, const O extends Presence>(
  definition: FieldDefinition<O>,
): FieldDecorator<Valued<V, O>> {
  const { options: given, list = false, ...facts } = definition;
  const options: Presence & { readonly default?: unknown } = given ?? {};
  const { optional = false, nullable = false, refusedAs } = options;
  return (prototype: object, name: string): void => {
    declareField(prototype, {
      ...facts,
      name,
      list,
      optional: optional || options.default !== undefined,
      nullable,
      ...(refusedAs && { refusedAs }),
      ...(options.default !== undefined && { default: options.default }),
    });
  };
}

/** Records a field of the class whose prototype is given, and has class-validator check it. */
export function declareField(prototype: object, declared: Field): void {
  registerField(prototype, declared);
  const { name, accepts, part, list, optional, nullable, default: otherwise } = declared;
  ValidateBy({ name: 'field', validator: { validate: accepts } })(prototype, name);
  if (part) ValidateNested({ each: list })(prototype, name);
  if (optional && otherwise === undefined)
    ValidateIf((_dto, value) => value !== undefined)(prototype, name);
  if (nullable) ValidateIf((_dto, value) => value !== null)(prototype, name);
}
