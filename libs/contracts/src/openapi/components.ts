import { jsonSchema, type Dto, type JsonSchema, type SchemaOptions } from '../fields/index.js';

/** The component schemas of a document, gathered as its operations refer to them. */
export interface Components {
  /** A reference to the component named after the class; the first call writes it. */
  readonly refer: (dto: Dto, options?: Omit<SchemaOptions, 'nested'>) => JsonSchema;
  /** A reference to one of the components written by hand. */
  readonly named: (name: string) => JsonSchema;
  /** All that was referred to, in the order of the alphabet. */
  readonly schemas: () => Readonly<Record<string, JsonSchema>>;
}

interface Owner {
  readonly dto: Dto;
  readonly closed: boolean;
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A collection that starts empty. `byHand` are schemas that no single class describes. */
export function gatherComponents(
  byHand: Readonly<Record<string, (refer: Components['refer']) => JsonSchema>>,
): Components {
  const owners = new Map<string, Owner>();
  const written = new Map<string, JsonSchema>();

  const refer: Components['refer'] = (dto, options = {}) => {
    const { closed = false } = options;
    const owner = owners.get(dto.name);
    if (owner) {
      assertSame(owner, { dto, closed });
    } else {
      // Entered before it is written, so that a class may contain itself.
      owners.set(dto.name, { dto, closed });
      const nested = (part: Dto): JsonSchema => refer(part, { closed });
      written.set(dto.name, jsonSchema(dto, { ...options, nested }));
    }
    return reference(dto.name);
  };

  const named: Components['named'] = (name) => {
    const schema = byHand[name];
    if (schema && !written.has(name)) written.set(name, schema(refer));
    return reference(name);
  };

  const schemas = (): Readonly<Record<string, JsonSchema>> =>
    Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1)));

  return { refer, named, schemas };
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
