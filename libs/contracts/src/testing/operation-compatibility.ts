import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../fields/index.js';

type Named<T> = Readonly<Record<string, T>>;
type Content = Named<{ readonly schema?: JsonSchema }>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** An operation of an OpenAPI document, as far as a client depends on it. */
export interface DescribedOperation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Named<{ readonly content?: Content }>;
}

/** An OpenAPI document. */
export interface ApiDocument {
  readonly paths: Named<Named<DescribedOperation>>;
  readonly components?: { readonly schemas?: Named<JsonSchema> };
}

/**
 * The direction in which a schema is read: clients write what the service takes, which may only become more;
 * the service writes what clients take, which may only become more certain.
 */
type Way = 'taken' | 'answered';

/** The ways in which a document breaks clients of a released one. */
export function brokenClients(released: ApiDocument, current: ApiDocument): string[] {
  return Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const after = current.paths[path]?.[method];
      if (!after) return [`${at}: removed`];
      const compare = comparison(released, current);
      return [
        ...parameterBreaches(before, after, at, compare),
        ...bodyBreaches(before, after, at, compare),
        ...answerBreaches(before, after, at, compare),
      ];
    }),
  );
}

type Compare = (before: JsonSchema, after: JsonSchema, at: string, way: Way) => string[];

function parameterBreaches(
  { parameters: before = [] }: DescribedOperation,
  { parameters: after = [] }: DescribedOperation,
  at: string,
  compare: Compare,
): string[] {
  const same = (one: Parameter) => (other: Parameter) =>
    one.name === other.name && one.in === other.in;
  return [
    ...before.flatMap((one) => {
      const now = after.find(same(one));
      return now
        ? compare(one.schema, now.schema, `${at} ${one.name}`, 'taken')
        : [`${at} ${one.name}: removed`];
    }),
    ...after
      .filter(({ required }) => required)
      .filter((one) => !before.find(same(one))?.required)
      .map(({ name }) => `${at} ${name}: newly required`),
  ];
}

function bodyBreaches(
  { requestBody: before }: DescribedOperation,
  { requestBody: after }: DescribedOperation,
  at: string,
  compare: Compare,
): string[] {
  if (after?.required && !before?.required) return [`${at} body: newly required`];
  return contentBreaches(before?.content, after?.content, `${at} body`, (...one) =>
    compare(...one, 'taken'),
  );
}

const answerBreaches = (
  { responses: before = {} }: DescribedOperation,
  { responses: after = {} }: DescribedOperation,
  at: string,
  compare: Compare,
): string[] =>
  Object.entries(before)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content }]) => {
      const now = after[status];
      if (!now) return [`${at} ${status}: removed`];
      return contentBreaches(content, now.content, `${at} ${status}`, (...one) =>
        compare(...one, 'answered'),
      );
    });

const contentBreaches = (
  before: Content = {},
  after: Content = {},
  at: string,
  compare: (before: JsonSchema, after: JsonSchema, at: string) => string[],
): string[] =>
  Object.entries(before).flatMap(([type, { schema }]) => {
    const now = after[type];
    if (!now) return [`${at}: no ${type} any more`];
    return schema && now.schema ? compare(schema, now.schema, at) : [];
  });

/** Compares schemas of two documents, each name of a schema once: they may refer to themselves. */
function comparison(released: ApiDocument, current: ApiDocument): Compare {
  const seen = new Set<string>();
  const compare: Compare = (before, after, at, way) => {
    const [old, oldName] = resolved(before, released);
    const [now] = resolved(after, current);
    if (oldName !== undefined) {
      const once = `${way} ${oldName}`;
      if (seen.has(once)) return [];
      seen.add(once);
    }
    return [
      ...valueBreaches(old, now, at, way),
      ...fieldBreaches(old, now, at, way, compare),
      ...partBreaches(old, now, at, way, compare),
    ];
  };
  return compare;
}

function resolved(schema: JsonSchema, { components }: ApiDocument): [JsonSchema, string?] {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return [schema];
  const name = reference.replace('#/components/schemas/', '');
  return [components?.schemas?.[name] ?? {}, name];
}

/** Bounds that a value has to be over, and those that it has to be under. */
const lowest = ['minimum', 'minLength', 'minItems', 'minProperties'];
const highest = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const exact = ['pattern', 'format', 'const', 'contentEncoding', 'uniqueItems'];

function valueBreaches(before: JsonSchema, after: JsonSchema, at: string, way: Way): string[] {
  const tells = (keyword: string): string =>
    `${at}: ${keyword} ${said(before[keyword])} is ${said(after[keyword])}`;
  const narrower = (keyword: string, isLow: boolean): boolean => {
    const [old, now] = [before[keyword], after[keyword]] as (number | undefined)[];
    if (now === undefined) return false;
    return old === undefined || (isLow ? now > old : now < old);
  };
  const words = (schema: JsonSchema, keyword: string): unknown[] | undefined =>
    schema[keyword] === undefined ? undefined : [schema[keyword]].flat();
  const lost = (keyword: string): boolean => {
    const [old, now] = [words(before, keyword), words(after, keyword)];
    const [narrow, wide] = way === 'taken' ? [now, old] : [old, now];
    if (narrow === undefined) return false;
    // An answer may have new words, as long as they are of the types that it had.
    if (way === 'answered' && keyword === 'enum') return false;
    return wide === undefined || wide.some((word) => !narrow.includes(word));
  };
  return [
    ...['type', 'enum'].filter(lost).map(tells),
    ...(way === 'taken' ? lowest.filter((keyword) => narrower(keyword, true)).map(tells) : []),
    ...(way === 'taken' ? highest.filter((keyword) => narrower(keyword, false)).map(tells) : []),
    ...exact
      .filter((keyword) => !isDeepStrictEqual(before[keyword], after[keyword]))
      .filter((keyword) => way === 'answered' || after[keyword] !== undefined)
      .map(tells),
  ];
}

const said = (value: unknown): string => (value === undefined ? 'unsaid' : JSON.stringify(value));

function fieldBreaches(
  before: JsonSchema,
  after: JsonSchema,
  at: string,
  way: Way,
  compare: Compare,
): string[] {
  const old = (before.properties ?? {}) as Named<JsonSchema>;
  const now = (after.properties ?? {}) as Named<JsonSchema>;
  const [had, has] = [before, after].map(({ required }) => (required ?? []) as readonly string[]);
  return [
    ...Object.entries(old).flatMap(([name, schema]) => {
      const kept = now[name];
      return kept ? compare(schema, kept, `${at}.${name}`, way) : [`${at}.${name}: removed`];
    }),
    ...(way === 'taken'
      ? (has ?? [])
          .filter((name) => !had?.includes(name))
          .map((name) => `${at}.${name}: newly required`)
      : (had ?? [])
          .filter((name) => name in now && !has?.includes(name))
          .map((name) => `${at}.${name}: no longer always there`)),
  ];
}

/** A choice may gain alternatives at its end where clients choose, and lose none. */
const partBreaches = (
  before: JsonSchema,
  after: JsonSchema,
  at: string,
  way: Way,
  compare: Compare,
): string[] =>
  ['items', 'anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const [old, now] = [partsOf(before, keyword), partsOf(after, keyword)];
    const breaches = old.flatMap((part, i) => {
      const kept = now[i];
      return kept ? compare(part, kept, `${at}[]`, way) : [`${at}: ${keyword} has fewer parts`];
    });
    const isChoice = way === 'taken' && keyword !== 'allOf' && old.length > 0;
    if (now.length > old.length && !isChoice) breaches.push(`${at}: ${keyword} has more parts`);
    return breaches;
  });

function partsOf(schema: JsonSchema, keyword: string): readonly JsonSchema[] {
  const parts = schema[keyword];
  if (parts === undefined) return [];
  return (Array.isArray(parts) ? parts : [parts]) as readonly JsonSchema[];
}
