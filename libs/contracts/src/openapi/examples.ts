import { existsSync, readFileSync } from 'node:fs';
import { ownText, type Operation } from '../operation.js';
import type { Field } from '../fields/index.js';

/** One call of an operation and what it is answered, as a test of the end-to-end suite makes it. */
export interface Example {
  readonly title?: string;
  /** The demo's key that calls, where it is not that of the administrator. */
  readonly as?: 'agent';
  /** The example that has to be run before; those that answer the ids of the input are in any case. */
  readonly after?: string;
  /** Why the test does not make the call, where it cannot; the answer is then compared with its schema alone. */
  readonly untried?: string;
  /** All fields of the operation beside each other, as in the table. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The body, where that is a file. */
  readonly file?: { readonly mediaType: string; readonly text: string };
  /** JSON; a text where the answer is a file. */
  readonly answer: unknown;
  /** The 202 that an agent gets whose writes wait for a person. */
  readonly filed?: unknown;
  readonly problem?: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly status: number;
    readonly answer: unknown;
  };
}

type Named = Pick<Operation, 'family' | 'name'>;

const read = new Map<string, Readonly<Record<string, Example>>>();

/**
 * The example of an operation: the entry of its name in its family's file of `examples/`. Their ids and times
 * are plausible ones, the same throughout.
 */
export function exampleOf({ family, name }: Named): Example | undefined {
  const known =
    read.get(family) ?? examplesIn(new URL(`../../examples/${family}.json`, import.meta.url));
  read.set(family, known);
  return known[name];
}

const examplesIn = (file: URL): Readonly<Record<string, Example>> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Example>) : {};

/** The example of a parameter; nothing where there is none. */
export function parameterExample(operation: Operation, { name }: Field): object {
  const value = exampleOf(operation)?.input[name];
  return value === undefined ? {} : { example: value };
}

/** The example of the JSON body of a request. */
export function bodyExample(operation: Operation): object {
  const { input } = exampleOf(operation) ?? {};
  if (!input) return {};
  if (ownText(operation.request)) return { example: input['body'] };
  const names = operation.fields.body.map(({ name }) => name);
  return {
    example: Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name))),
  };
}

/** The example of an answer by its status. */
export function answerExample(operation: Operation, status: number): object {
  const { answer, filed, problem } = exampleOf(operation) ?? {};
  const found = {
    ...(problem && isOfIts(operation, problem) && { [problem.status]: problem.answer }),
    ...(filed !== undefined && { 202: filed }),
    [operation.success]: answer,
  }[status];
  return found === undefined ? {} : { example: found };
}

/** Members, who call the public API too, are refused by a body of another form. */
const isOfIts = ({ errors }: Operation, { answer }: { readonly answer: unknown }): boolean =>
  (errors === 'settings') === Object.hasOwn(Object(answer) as object, 'message');
