import { eventSchema } from '../event-payloads/schema.js';
import { eventGroups } from '../events.js';
import { describedField, type Field, type JsonSchema, valueSchema } from '../fields/index.js';
import { type Components, gatherComponents } from './components.js';
import { Refusal } from '../answers.js';
import { codesOf } from '../coded-refusal.js';
import { ownText, type Operation } from '../operation.js';
import { mountPoints, table } from '../table.js';
import { commonResponses, responsesOf } from './answers.js';
import { descriptionOf, eventTag, extensionsOf, tagOf } from './descriptions.js';
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
    info: {
      title: 'Postroom Public API',
      version: '1.0.0',
      description: generalRules,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The administrators of the workspace' },
    },
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
    tags: [
      ...[...new Set(published.map((operation) => operation.family))].map(tagOf),
      ...Object.keys(eventGroups).map((group) => ({
        name: eventTag(group),
        description: `Webhooks: ${group}.`,
      })),
    ],
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
  },
  required: ['error'],
});

function paths(operations: readonly Operation[], components: Components): JsonSchema {
  const items: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    items[path] = {
      ...items[path],
      [operation.method.toLowerCase()]: operationObject(operation, components),
    };
  }
  return items;
}

const operationObject = (operation: Operation, components: Components): JsonSchema => ({
  operationId: operationId(operation),
  tags: [operation.family],
  summary: operation.summary,
  description: descriptionOf(operation),
  ...extensionsOf(operation),
  parameters: [
    ...operation.fields.path.map((field) => parameter(field, 'path', components)),
    ...operation.fields.query.map((field) => parameter(field, 'query', components)),
    ...headerParameters(operation),
  ],
  ...(operation.fields.body.length > 0 && { requestBody: requestBody(operation, components) }),
  responses: responsesOf(operation, components),
});

/** `ArchiveConversation` takes the input of `archiveConversation`; the table has no two of a name. */
const operationId = ({ input: { name } }: Operation): string =>
  name.charAt(0).toLowerCase() + name.slice(1);

const parameter = (field: Field, place: 'path' | 'query', { hoisted }: Components): JsonSchema => ({
  name: field.name,
  in: place,
  required: !field.optional,
  description: describedField(field),
  schema: hoisted(valueSchema(field)),
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

/** Generators have no type of null alone, which `previous` is of events that change nothing. */
function readable(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema as { readonly properties: Record<string, JsonSchema> };
  const { previous, ...others } = properties;
  if (previous?.['type'] !== 'null') return schema;
  return {
    ...rest,
    properties: { ...others, previous: { ...previous, type: ['object', 'null'] } },
  };
}

/** `conversation.received` becomes `ConversationReceived`. */
const pascal = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The bodies of the events that a subscription is sent, type by type (public-api.md §6). */
export const webhooksOf = (components: Components): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(eventGroups).flatMap(([group, types]) =>
      types.map((type) => [
        type,
        {
          post: {
            operationId: `on${pascal(type)}`,
            tags: [eventTag(group)],
            summary: `Tell of ${type}`,
            description: `Delivered to the URL of each subscription that asks for ${type}.`,
            // The receiver's route: it takes a signature, not an API key.
            security: [],
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: components.made(`${pascal(type)}Event`, () =>
                    readable(eventSchema(type, { nested: components.refer })),
                  ),
                },
              },
            },
            responses: { '2XX': { description: 'Taken; any other answer is a failed attempt.' } },
          },
        },
      ]),
    ),
  );
