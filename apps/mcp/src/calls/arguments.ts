import type { InvocationFault } from '@postroom/contracts';
import { canonicalJson } from '@postroom/operations';
import { endlessNumberIn, isRecord, isShallow, type JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';
import type { Tool } from '../tools/index.js';

/** The arguments of a call, as the gateway takes them. */
export interface GivenArguments {
  /** The fields of the operation. */
  readonly input: JsonObject;
  /** Faults beside those that the operation finds. */
  readonly faults: readonly InvocationFault[];
  /** The mailbox that must be reached, of a tool whose operation has none. */
  readonly reaching: JsonObject | undefined;
  /** Arguments for the presentation of the answer alone. */
  readonly paging: JsonObject;
  /** Two calls with the same arguments have the same text. */
  readonly canonical: string;
}

/** Levels of nesting; no field of an operation has more than a few. */
const levelsMax = 32;

/** Length of a path of names that the caller chose. */
const pathCharactersMax = 190;

const fault = (field: string, fr: string, en: string): InvocationFault => ({
  field,
  message: { fr, en },
});

const refused = (problem: InvocationFault): GivenArguments => ({
  input: {},
  faults: [problem],
  reaching: undefined,
  paging: {},
  canonical: '',
});

/** Reads the arguments of a call; the gateway refuses, and audits, faulty ones. */
export function argumentsOf(tool: Tool, raw: unknown): GivenArguments {
  const value = parsedWhere(raw ?? {}, ['object']);
  if (!isRecord(value)) {
    return refused(fault('arguments', 'objet JSON attendu', 'expected a JSON object'));
  }
  const given = unpacked(tool, value);
  if (!isShallow(given, levelsMax)) {
    return refused(fault('arguments', 'imbrication trop profonde', 'nested too deeply'));
  }
  const endless = endlessNumberIn(given);
  if (endless !== null) {
    const field = visibleLine(endless.join('.'), pathCharactersMax);
    return refused(fault(field, 'nombre trop grand', 'the number is too large'));
  }
  const paging = pick(given, Object.keys(tool.paging ?? {}));
  const rest = omit(given, Object.keys(tool.paging ?? {}));
  const { input, faults } = renamed(tool, rest);
  return {
    input: tool.reachesMailbox ? omit(input, ['mailbox']) : input,
    faults: [...faults, ...pagingFaults(paging)],
    reaching: tool.reachesMailbox ? pick(given, ['mailbox']) : undefined,
    paging,
    canonical: canonicalJson(given),
  };
}

/** Some clients send objects and lists as JSON text: it is read where the schema has no text. */
function unpacked({ definition }: Tool, values: JsonObject): JsonObject {
  const properties = definition.inputSchema['properties'] as JsonObject;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, parsedWhere(value, typesOf(schema))];
    }),
  );
}

/** The types that a schema allows, at its root or in the branches of an `anyOf`. */
function typesOf(schema: unknown): readonly string[] {
  if (!isRecord(schema)) return [];
  const branches = listOf(schema['anyOf']).flatMap(typesOf);
  const own = listOf(schema['type']).filter((type) => typeof type === 'string');
  return [...own, ...branches];
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [value];

function parsedWhere(value: unknown, types: readonly string[]): unknown {
  const isStructure = types.includes('object') || types.includes('array');
  if (typeof value !== 'string' || !isStructure || types.includes('string')) return value;
  try {
    const parsed = JSON.parse(value) as unknown;
    return typeof parsed === 'object' && parsed !== null ? parsed : value;
  } catch {
    return value;
  }
}

const pick = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

const omit = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** The fields of the operation; its own name of a renamed argument is none of the tool's. */
function renamed(
  { renamed: names = {} }: Tool,
  values: JsonObject,
): { input: JsonObject; faults: InvocationFault[] } {
  const hidden = Object.values(names).filter((field) => Object.hasOwn(values, field));
  const faults = hidden.map((field) =>
    fault(`arguments.${field}`, 'champ inconnu', 'unknown field'),
  );
  const input = Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, unknown] => [
      (Object.hasOwn(names, name) ? names[name] : undefined) ?? name,
      value,
    ]),
  );
  return { input, faults };
}

function pagingFaults({ offset }: JsonObject): InvocationFault[] {
  if (offset === undefined) return [];
  const fits = Number.isInteger(offset) && Number(offset) >= 0 && Number(offset) <= 100_000_000;
  return fits ? [] : [fault('offset', 'nombre entier attendu', 'expected a whole number')];
}
