import type { JsonSchema } from '../fields/index.js';

/** The keywords that our schemas use, as they bear on a type. */
interface Typed {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Typed[];
  readonly oneOf?: readonly Typed[];
  readonly items?: Typed;
  readonly properties?: Readonly<Record<string, Typed>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Files are given as base64, or as a Blob whose base64 the client makes. */
const files = ['AttachedFile', 'AttachedDraftFile'];

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The TypeScript type of a value of this schema. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, const: only, enum: words } = schema as Typed;
  if ($ref !== undefined) return referred(nameOf($ref));
  if (only !== undefined) return literal(only);
  if (words) return union(words.map(literal));
  const choices = choicesOf(schema);
  if (choices && type !== 'object') return union(choices.map((one) => typeOf(one as JsonSchema)));
  const kinds = typeof type === 'string' ? [type] : (type ?? []);
  return kinds.length === 0 ? 'unknown' : union(kinds.map((kind) => kindOf(kind, schema)));
}

const choicesOf = ({ anyOf, oneOf }: Typed): readonly Typed[] | undefined => anyOf ?? oneOf;

const referred = (name: string): string => (files.includes(name) ? `${name} | BlobFile` : name);

function kindOf(kind: string, schema: Typed): string {
  if (kind === 'array') return `readonly (${typeOf((schema.items ?? {}) as JsonSchema)})[]`;
  if (kind !== 'object') return scalars[kind] ?? 'unknown';
  return schema.properties
    ? `{ ${membersOf(schema).join(' ')} }`
    : 'Readonly<Record<string, unknown>>';
}

const literal = (value: unknown): string => JSON.stringify(value);
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** The members of an object type, each behind its description. */
function membersOf({ properties = {}, required = [] }: Typed): readonly string[] {
  return Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    const about = property.description === undefined ? '' : `${comment(property.description)} `;
    return `${about}readonly ${name}${mark}: ${typeOf(property as JsonSchema)};`;
  });
}

/** A type that another one extends, with those of its members that the other declares itself. */
export interface Base {
  readonly name: string;
  readonly besides: readonly string[];
}

/** A declaration of a schema under a name. */
export function declaration(name: string, schema: JsonSchema, base?: Base): string {
  const { type, properties, required = [] } = schema as Typed;
  if (type !== 'object' || !properties) return `export type ${name} = ${typeOf(schema)};`;
  const own = Object.entries(properties).filter(([one]) => !base || base.besides.includes(one));
  const members = membersOf({ properties: Object.fromEntries(own), required });
  const omitted = base ? ` extends Omit<${base.name}, ${union(base.besides.map(literal))}>` : '';
  return [`export interface ${name}${omitted} {`, ...members.map((one) => `  ${one}`), '}'].join(
    '\n',
  );
}

/** A comment of one line. */
export const comment = (text: string): string =>
  `/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/')} */`;

/** The names of all schemas that a schema refers to, itself not included. */
export const referencesOf = (schema: unknown): readonly string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, one = '']) => nameOf(one));
