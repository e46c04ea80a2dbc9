import { isRecord } from '../fields/values.js';
import { jsonSchema, type Dto, type JsonSchema, type SchemaOptions } from '../fields/index.js';

/** The component schemas of a document, gathered as its operations refer to them. */
export interface Components {
  /** A reference to the component named after the class; the first call writes it. */
  readonly refer: (dto: Dto, options?: Omit<SchemaOptions, 'nested'>) => JsonSchema;
  /** A reference to one of the components written by hand. */
  readonly named: (name: string) => JsonSchema;
  /** A reference to a component that is made once. */
  readonly made: (name: string, make: () => JsonSchema) => JsonSchema;
  /** The schema, with each part that has a title as a reference to a component of that name. */
  readonly hoisted: (schema: JsonSchema) => JsonSchema;
  /** All that was referred to, in the order of the alphabet. */
  readonly schemas: () => Readonly<Record<string, JsonSchema>>;
}

interface Owner {
  readonly dto: Dto;
  readonly closed: boolean;
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

interface GatheringOptions {
  /** Parts of inputs that refuse unknown fields are named `…Input`: their classes are parts of answers too. */
  readonly namesInputs?: boolean;
}

/** A collection that starts empty. `byHand` are schemas that no single class describes. */
export function gatherComponents(
  byHand: Readonly<Record<string, (refer: Components['refer']) => JsonSchema>>,
  { namesInputs = false }: GatheringOptions = {},
): Components {
  const owners = new Map<string, Owner>();
  const written = new Map<string, JsonSchema>();

  const refer: Components['refer'] = (dto, options) => referAs(dto.name, dto, options);

  const referAs = (name: string, dto: Dto, options: Omit<SchemaOptions, 'nested'> = {}) => {
    const { closed = false } = options;
    const owner = owners.get(name);
    if (owner) {
      assertSame(owner, { dto, closed });
    } else {
      // Entered before it is written, so that a class may contain itself.
      owners.set(name, { dto, closed });
      const nested = (part: Dto): JsonSchema =>
        referAs(namesInputs && closed ? `${part.name}Input` : part.name, part, { closed });
      written.set(name, hoisted(jsonSchema(dto, { ...options, nested })));
    }
    return reference(name);
  };

  const named: Components['named'] = (name) => {
    const schema = byHand[name];
    if (schema && !written.has(name)) written.set(name, schema(refer));
    return reference(name);
  };

  const made: Components['made'] = (name, make) => {
    if (!written.has(name)) {
      written.set(name, {});
      written.set(name, hoisted(make()));
    }
    return reference(name);
  };

  const hoisted: Components['hoisted'] = (schema) => {
    const { title, description } = schema;
    if (typeof title !== 'string') return eachPart(schema, hoisted);
    const { title: _title, description: _description, ...named } = schema;
    const component = made(title, () => named);
    return typeof description === 'string' ? { ...component, description } : component;
  };

  const schemas = (): Readonly<Record<string, JsonSchema>> =>
    Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1)));

  return { refer, named, made, hoisted, schemas };
}

/** A schema with something else in place of each schema that it holds. */
function eachPart(schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return isRecord(value) ? replace(value) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inner(value)]));
}

/**
 * A class both taken and given would promise answers that never gain a field, or hide that an
 * unknown field is refused: it needs a class for each.
 */
function assertSame(known: Owner, { dto, closed }: Owner): void {
  if (known.dto !== dto) throw new Error(`Two classes are named ${dto.name}.`);
  if (known.closed !== closed) {
    throw new Error(
      `${dto.name} is part of an input that refuses unknown fields and of an answer.`,
    );
  }
}
