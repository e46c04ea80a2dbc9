import { eventSchema } from '../event-payloads/schema.js';
import { eventGroups } from '../events.js';
import { type Field, type JsonSchema, valueSchema } from '../fields/index.js';
import { type Components, gatherComponents } from './components.js';
import { Refusal } from '../answers.js';
import { codesOf } from '../coded-refusal.js';
import { ownText, type Operation } from '../operation.js';
import { mountPoints, table } from '../table.js';
import { commonResponses, responsesOf } from './answers.js';
import { headerComponents, headerParameters } from './headers.js';

/**
 * The OpenAPI 3.1 document of the public API: a reading of the operations with audience `key`, those of
 * the whole table by default, and of the events that its webhooks tell of.
 *
 * @throws Error when two classes share a name, or one class is part of an answer and of an input
 * that refuses unknown fields.
 */
export function openApiDocument(operations: readonly Operation[] = table): object {
  const published = operations.filter((operation) => operation.audience === 'key');
  const components = gatherComponents({
    CodedErrorBody: (refer) => codedErrorBody(refer(Refusal), published),
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Postroom Public API', version: '1.0.0', description: generalRules },
    servers: [
      { url: mountPoints.key, description: 'The deployment that serves this document.' },
      {
        url: `https://{base}${mountPoints.key}`,
        description: 'A workspace by its domain.',
        variables: {
          base: { default: 'workspace.example', description: 'The workspace’s domain.' },
        },
      },
    ],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(published.map((operation) => operation.family))].map((name) => ({ name })),
    paths: paths(published, components),
    webhooks: webhooksOf(components),
    components: {
      securitySchemes,
      headers: headerComponents,
      responses: commonResponses(components),
      schemas: components.schemas(),
    },
  };
}

const generalRules = `A workspace around shared mailboxes.

- Identifiers are opaque texts. Times that end in \`At\` are ISO 8601 in UTC.
- A missing value is \`null\` in an answer, not an absent field. Answers may gain fields.
- Texts are Unicode without U+0000 and lone surrogates; their lengths count code points.
- A query parameter given twice is refused.
- \`x-scope\` names the scope that a key needs for the operation.`;

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The API key.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
};

/** The refusals of the families that answer codes; their rows' problems are the closed list. */
const codedErrorBody = (refusal: JsonSchema, operations: readonly Operation[]): JsonSchema => ({
  allOf: [refusal],
  type: 'object',
  properties: {
    error: {
      type: 'string',
      enum: [...new Set(operations.flatMap(codesOf))],
      description: 'Stable code.',
    },
    code: {
      type: 'string',
      maxLength: 60,
      description: 'A more precise code, where there is one.',
    },
  },
  required: ['error'],
});

function paths(operations: readonly Operation[], components: Components): JsonSchema {
  const items: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    items[path] = {
      ...items[path],
      [operation.method.toLowerCase()]: described(operation, components),
    };
  }
  return items;
}

const described = (operation: Operation, components: Components): JsonSchema => ({
  operationId: operationId(operation),
  tags: [operation.family],
  summary: operation.summary,
  ...(operation.description !== '' && { description: operation.description }),
  'x-scope': operation.scope === 'any' ? null : operation.scope,
  ...(operation.addition && { 'x-addition': true }),
  parameters: [
    ...operation.fields.path.map((field) => parameter(field, 'path')),
    ...operation.fields.query.map((field) => parameter(field, 'query')),
    ...headerParameters(operation),
  ],
  ...(operation.fields.body.length > 0 && { requestBody: requestBody(operation, components) }),
  responses: responsesOf(operation, components),
});

/** `ArchiveConversation` takes the input of `archiveConversation`; the table has no two of a name. */
const operationId = ({ input: { name } }: Operation): string =>
  name.charAt(0).toLowerCase() + name.slice(1);

const parameter = (field: Field, place: 'path' | 'query'): JsonSchema => ({
  name: field.name,
  in: place,
  required: !field.optional,
  description: field.about,
  schema: valueSchema(field),
});

const requestBody = (operation: Operation, { refer }: Components): JsonSchema => ({
  description: `At most ${operation.bodyMax.toLocaleString('en')} bytes, whatever its fields may have.`,
  required: operation.fields.body.some((field) => !field.optional),
  content: {
    'application/json': {
      schema:
        ownText(operation.request) ??
        refer(operation.input, {
          only: operation.fields.body,
          closed: operation.unknownFields === 'refuse',
        }),
    },
  },
});

/** The bodies of the events that a subscription is sent, type by type (public-api.md §6). */
export const webhooksOf = ({ refer }: Components): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(eventGroups).flatMap(([group, types]) =>
      types.map((type) => [
        type,
        {
          post: {
            tags: [group],
            summary: `Tell of ${type}`,
            // The receiver's route: it takes a signature, not an API key.
            security: [],
            requestBody: {
              required: true,
              content: {
                'application/json': { schema: eventSchema(type, { nested: refer }) },
              },
            },
            responses: { '2XX': { description: 'Taken; any other answer is a failed attempt.' } },
          },
        },
      ]),
    ),
  );
