import 'reflect-metadata';
import type { Dto, Field } from './field-facts.js';

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
