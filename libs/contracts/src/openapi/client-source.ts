import { fieldsOf, type JsonSchema } from '../fields/index.js';
import { fieldSchema } from '../fields/schema.js';
import { FileAnswer } from '../answers.js';
import type { Operation } from '../operation.js';
import { problems } from '../problems.js';
import { table } from '../table.js';
import { clientCall } from './client-names.js';
import { comment, declaration, referencesOf } from './client-types.js';
import { openApiDocument } from './document.js';

interface Published {
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

const called = table.flatMap((operation) => {
  const call = clientCall(operation);
  return call ? [{ operation, ...call }] : [];
});

/**
 * The generated part of `@postroom/sdk`: the types of every input, answer and event of the public API, the client's
 * methods, and what the client has to know of each operation to call it.
 */
export function clientSource(): string {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as Published;
  const events = Object.values(document.webhooks).flatMap(referencesOf);
  const schemas = { ...document.components.schemas, ...inputSchemas(document.components.schemas) };
  const roots = [
    ...called.flatMap(({ operation: { input, output } }) => [input.name, output.name]),
    ...events,
  ];
  const declared = reached(schemas, roots);
  return [
    '// Written by libs/contracts (openapi/client-source.ts) from the table of operations: do not edit.',
    "import type { BlobFile, CallOptions, OperationFacts, Written } from './types.js';\n",
    ...declared.map((name) => `${declaration(name, schemas[name] ?? {}, baseOf(name, events))}\n`),
    comment('An event, as it is posted to a subscription and read from the feed.'),
    `export type PostroomEvent = ${events.join(' | ')};\n`,
    comment('The stable codes of refusals; more may come.'),
    `export type ErrorCode = ${Object.keys(problems)
      .map((code) => `'${code}'`)
      .join(' | ')};\n`,
    comment(
      'The operations; `A` is true for the key of an agent, whose writes may wait for approval.',
    ),
    'export interface Operations<A extends boolean = false> {',
    ...byFamily((operation, name) => methodsOf(operation, name, schemas)),
    '}\n',
    'export const operations = {',
    ...byFamily((operation, name) => [`${name}: ${factsOf(operation)},`], ','),
    '} as const satisfies Readonly<Record<string, Readonly<Record<string, OperationFacts>>>>;\n',
  ].join('\n');
}

/** Events are told apart by their type, data and old values; the rest of them is the same. */
const eventBase = { name: 'FeedEvent', besides: ['type', 'data', 'previous'] };
const baseOf = (name: string, events: readonly string[]) =>
  events.includes(name) ? eventBase : undefined;

/** The inputs, flat: the document has the fields of the body alone under the name of the class. */
const inputSchemas = (bodies: Schemas): Schemas =>
  Object.fromEntries(
    called
      .filter(({ operation }) => fieldsOf(operation.input).length > 0)
      .map(({ operation: { input, fields } }) => {
        const { properties, required = [] } = (bodies[input.name] ?? {}) as {
          readonly properties?: object;
          readonly required?: readonly string[];
        };
        const beside = [...fields.path, ...fields.query, ...fields.header];
        const needed = beside.filter(({ optional }) => !optional).map(({ name }) => name);
        const own = Object.fromEntries(beside.map((field) => [field.name, fieldSchema(field)]));
        const schema = { type: 'object', properties: { ...own, ...properties } };
        return [input.name, { ...schema, required: [...needed, ...required] }];
      }),
  );

/** The names of schemas that the roots refer to, and the roots, in the order of the alphabet. */
function reached(schemas: Schemas, roots: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (!schema || found.has(name)) return;
    found.add(name);
    referencesOf(schema).forEach(visit);
  };
  roots.forEach(visit);
  return [...found].sort();
}

function byFamily(
  linesOf: (operation: Operation, name: string) => readonly string[],
  end = ';',
): readonly string[] {
  const families = Map.groupBy(called, ({ family }) => family);
  return [...families].flatMap(([family, members]) => [
    end === ';' ? `  readonly ${family}: {` : `  ${family}: {`,
    ...members.flatMap(({ operation, name }) =>
      linesOf(operation, name).map((line) => `    ${line}`),
    ),
    `  }${end}`,
  ]);
}

/** The list in an answer whose next page the input's `pageToken` asks for; null where there is none. */
function pagesOf({ input, output }: Operation): string | null {
  if (!fieldsOf(input).some(({ name }) => name === 'pageToken')) return null;
  return fieldsOf(output).find(({ list }) => list)?.name ?? null;
}

function methodsOf(operation: Operation, name: string, schemas: Schemas): readonly string[] {
  const { output, effect } = operation;
  const takes = `${inputOf(operation)}, options?: CallOptions`;
  const answer = output === FileAnswer ? 'Response' : output.name;
  const gives = effect === 'read' || effect === 'send' ? answer : `Written<${answer}, A>`;
  const lines = [comment(aboutOf(operation)), `${name}(${takes}): Promise<${gives}>;`];
  const items = pagesOf(operation);
  if (items === null) return lines;
  const item = itemOf(schemas[output.name], items);
  const iterator = `${iteratorOf(name)}(${takes}): AsyncIterableIterator<${item}>;`;
  return [...lines, comment(`All pages of \`${name}\`, one by one.`), iterator];
}

function inputOf({ input }: Operation): string {
  const fields = fieldsOf(input);
  if (fields.length === 0) return 'input?: Readonly<Record<string, never>>';
  return `input${fields.every(({ optional }) => optional) ? '?' : ''}: ${input.name}`;
}

/** The summary, the scope, and the first paragraph of the description. */
function aboutOf({ summary, scope, description }: Operation): string {
  const needs = scope === null || scope === 'any' ? '' : ` Scope: \`${scope}\`.`;
  const [details = ''] = description.split('\n\n');
  return `${summary}.${needs} ${details}`.trimEnd();
}

const iteratorOf = (name: string): string =>
  name === 'list' ? 'iterate' : `iterate${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function itemOf(schema: JsonSchema | undefined, items: string): string {
  const [name] = referencesOf((schema?.['properties'] as Schemas | undefined)?.[items]);
  return name ?? 'unknown';
}

function factsOf(operation: Operation): string {
  const { method, path, effect, output, name } = operation;
  const items = pagesOf(operation);
  const call = clientCall(operation);
  return JSON.stringify({
    method,
    path,
    ...(effect === 'read' ? {} : { effect: effect === 'send' ? 'send' : 'write' }),
    ...(output === FileAnswer && { isFile: true }),
    ...(items !== null && { pages: [iteratorOf(call?.name ?? name), items] }),
  });
}
