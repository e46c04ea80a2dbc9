import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../fields/index.js';
import { expectGolden, goldenFiles } from './golden.js';

/** Keywords of a schema that may change at any time: words for people. */
const words = new Set(['description', 'title', '$schema']);
/** Keywords that are compared part by part. */
const compound = new Set(['properties', 'required', 'items', 'anyOf', 'oneOf']);

/**
 * The ways in which a schema breaks the one that was published under the same version. An event that was
 * written by the old one may be read by the new one and the other way round (events are kept, and sent again,
 * for days), so all that a published schema says stays; an object may gain fields that need not be there.
 */
export function breaches(published: JsonSchema, current: JsonSchema, at = 'event'): string[] {
  const keywords = new Set([...Object.keys(published), ...Object.keys(current)]);
  const changed = [...keywords]
    .filter((keyword) => !words.has(keyword) && !compound.has(keyword))
    .filter((keyword) => !isDeepStrictEqual(published[keyword], current[keyword]))
    .map((keyword) => `${at}: ${keyword} ${said(published[keyword])} is ${said(current[keyword])}`);
  return [
    ...changed,
    ...fieldBreaches(published, current, at),
    ...partBreaches(partsOf(published), partsOf(current), at),
  ];
}

const said = (value: unknown): string => (value === undefined ? 'unsaid' : JSON.stringify(value));

type Named = Readonly<Record<string, JsonSchema>>;

function fieldBreaches(published: JsonSchema, current: JsonSchema, at: string): string[] {
  const before = (published.properties ?? {}) as Named;
  const after = (current.properties ?? {}) as Named;
  const promised = (published.required ?? []) as readonly string[];
  const required = (current.required ?? []) as readonly string[];
  return [
    ...Object.entries(before).flatMap(([name, schema]) => {
      const now = after[name];
      return now ? breaches(schema, now, `${at}.${name}`) : [`${at}.${name}: removed`];
    }),
    ...promised
      .filter((name) => name in after && !required.includes(name))
      .map((name) => `${at}.${name}: no longer always there`),
    ...required
      .filter((name) => !promised.includes(name))
      .map((name) => `${at}.${name}: newly required`),
  ];
}

/** The parts of a list or a choice, in their order. */
const partsOf = ({ items, anyOf, oneOf }: JsonSchema): readonly JsonSchema[] =>
  [items, anyOf, oneOf].flatMap((part) => (part === undefined ? [] : part)) as JsonSchema[];

function partBreaches(
  published: readonly JsonSchema[],
  current: readonly JsonSchema[],
  at: string,
): string[] {
  if (published.length !== current.length) {
    return [`${at}: ${published.length} parts are ${current.length}`];
  }
  return published.flatMap((part, i) => {
    const now = current[i];
    return now ? breaches(part, now, `${at}[]`) : [];
  });
}

/**
 * Compares a schema with the one that was published under its version. `UPDATE_GOLDENS=1` writes what
 * it has gained; what would break its readers is refused then too.
 *
 * @param file of the golden files
 */
export function expectPublished(file: string, schema: JsonSchema, folder = goldenFiles): void {
  const path = new URL(file, folder);
  if (existsSync(path)) {
    const broken = breaches(JSON.parse(readFileSync(path, 'utf8')) as JsonSchema, schema);
    if (broken.length > 0) throw new Error(refusal(file, broken));
  }
  expectGolden(file, `${JSON.stringify(schema, null, 2)}\n`, folder);
}

const refusal = (file: string, broken: readonly string[]): string =>
  `${file} was published and may only gain optional fields. Add a version beside it, or delete the
file if that version has never been released.\n${broken.join('\n')}`;
