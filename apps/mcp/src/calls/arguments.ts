import type { InvocationFault } from '@postroom/contracts';
import { canonicalJson } from '@postroom/operations';
import { endlessNumberIn, isRecord, isShallow, type JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';
import type { Tool } from '../tools/index.js';
import { secondsIn } from './seconds.js';

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

/** The field of a fault of all arguments together. */
const wholeArguments = 'arguments';

/** Levels of nesting; no field of an operation has more than a few. */
const levelsMax = 32;

/** Length of a path of names that the caller chose. */
const pathCharactersMax = 190;

const fault = (field: string, fr: string, en: string): InvocationFault => ({
  field,
  message: { fr, en },
});

const milliseconds = {
  fr: 'ce sont des secondes : donnez des millisecondes depuis 1970 (mille fois plus)',
  en: 'these are seconds: give milliseconds since 1970 (a thousand times as many)',
};

const refused = (problem: InvocationFault): GivenArguments => ({
  input: {},
  faults: [problem],
  reaching: undefined,
  paging: {},
  canonical: '',
});

/** Reads the arguments of a call; the gateway refuses, and audits, faulty ones. */
export function argumentsOf(tool: Tool, raw: unknown): GivenArguments {
  const value = parsed(raw ?? {});
  if (!isRecord(value)) {
    return refused(fault(wholeArguments, 'objet JSON attendu', 'expected a JSON object'));
  }
  const unread = unpacked(tool, value);
  if (!isShallow(unread, levelsMax)) {
    return refused(fault(wholeArguments, 'imbrication trop profonde', 'nested too deeply'));
  }
  const given = withoutEmpty(tool, unread);
  const endless = endlessNumberIn(given);
  if (endless !== null) {
    const field = visibleLine(endless.join('.'), pathCharactersMax);
    return refused(fault(field, 'nombre trop grand', 'the number is too large'));
  }
  const paging = pick(given, Object.keys(tool.paging ?? {}));
  const rest = omit(given, Object.keys(tool.paging ?? {}));
  const { input, faults } = renamed(tool, rest);
  const seconds = secondsIn(rest).map((path) =>
    fault(visibleLine(path.join('.'), pathCharactersMax), milliseconds.fr, milliseconds.en),
  );
  return {
    input: tool.reachesMailbox ? omit(input, ['mailbox']) : input,
    faults: [...faults, ...seconds, ...contentFaults(tool, input), ...pagingFaults(paging)].slice(
      0,
      faultsMax,
    ),
    reaching: tool.reachesMailbox ? pick(given, ['mailbox']) : undefined,
    paging,
    canonical: canonicalJson(given),
  };
}

/** As many as the gateway takes. */
const faultsMax = 20;

/** Some clients send objects and lists as JSON text: it is read where the tool takes one. */
const unpacked = ({ structures }: Tool, values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      structures.has(name) ? parsed(value) : value,
    ]),
  );

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read = JSON.parse(value) as unknown;
    return typeof read === 'object' && read !== null ? read : value;
  } catch {
    return value;
  }
}

const isEmpty = (value: unknown): boolean => value === null || value === '';

/**
 * Null and empty texts mean that an optional argument is absent (`decisions.md` §7): models that have to name
 * every argument send them. An object that repeats the fields beside it says what it says, so that a field can be
 * cleared there.
 */
function withoutEmpty({ wrappers }: Tool, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (isEmpty(value)) return [];
      return [[name, wrappers.has(name) ? value : filled(value)]];
    }),
  );
}

function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      isEmpty(inner) ? [] : [[name, filled(inner)]],
    ),
  );
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

/** Names that a refusal repeats, at most. */
const namesMax = 10;

/** A write that would say nothing is refused, and told which names it was given: they were likely meant for others. */
function contentFaults({ content, wrappers }: Tool, input: JsonObject): InvocationFault[] {
  const inner = [...wrappers].map((name) => input[name]).find(isRecord);
  const given = Object.keys(inner ?? input);
  if (!content || given.some((name) => content.includes(name))) return [];
  const names = visibleLine(given.slice(0, namesMax).join(', '), pathCharactersMax) || '-';
  const expected = content.join(', ');
  return [
    fault(
      wholeArguments,
      `brouillon vide : donnez au moins un champ parmi ${expected} (reçus : ${names})`,
      `the draft would be empty: give at least one of ${expected} (given: ${names})`,
    ),
  ];
}

function pagingFaults({ offset = 0, wholeText = false }: JsonObject): InvocationFault[] {
  const isPlace = Number.isInteger(offset) && Number(offset) >= 0 && Number(offset) <= 100_000_000;
  return [
    ...(isPlace ? [] : [fault('offset', 'nombre entier attendu', 'expected a whole number')]),
    ...(typeof wholeText === 'boolean'
      ? []
      : [fault('wholeText', 'true ou false attendu', 'expected true or false')]),
  ];
}
