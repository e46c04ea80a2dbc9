import { eventSchema } from '../event-payloads/schema.js';
import { eventGroups } from '../events.js';
import { describedField, type Field, type JsonSchema, valueSchema } from '../fields/index.js';
import { type Components, gatherComponents } from './components.js';
import { Refusal } from '../answers.js';
import { codesOf } from '../coded-refusal.js';
import { ownText, type ErrorStyle, type Operation } from '../operation.js';
import { mountedOperations, mountPoints, table } from '../table.js';
import { binary, commonResponses, responsesOf } from './answers.js';
import { descriptionOf, eventTag, extensionsOf, tagOf } from './descriptions.js';
import { bodyExample, parameterExample } from './examples.js';
import { headerComponents, headerParameters } from './headers.js';

/**
 * The OpenAPI 3.1 document of the public API: a reading of the operations with audience `key`, those of
 * the whole table by default, and of the events that its webhooks deliver.
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
    info: infoOf('Postroom Public API', generalRules),
    servers: serversAt(mountPoints.key),
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [
      ...tagsOf(published),
      ...Object.keys(eventGroups).map((group) => ({
        name: eventTag(group),
        description: `Webhooks: ${group}.`,
      })),
    ],
    paths: paths(published, components),
    webhooks: webhooksOf(components),
    components: componentsOf(components, securitySchemes, 'text'),
  };
}

/**
 * The OpenAPI 3.1 document of the settings API (`decisions.md` §9): a reading of every operation that a signed-in
 * member may call, and of signing in.
 */
export function settingsDocument(): object {
  const components = gatherComponents({}, { namesInputs: true });
  const published = mountedOperations
    .filter(({ errors }) => errors === 'settings')
    // No member's write waits for approval, and every member is one.
    .map((operation) => ({ ...operation, approval: 'never' as const, member: false }));
  return {
    openapi: '3.1.0',
    info: infoOf('Postroom Settings API', settingsRules),
    servers: serversAt(mountPoints.member),
    security: [{ session: [] }, { secureSession: [] }],
    tags: tagsOf(published),
    paths: paths(published, components),
    components: componentsOf(components, sessionSchemes, 'settings'),
  };
}

const infoOf = (title: string, description: string) => ({
  title,
  version: '1.0.0',
  description,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  contact: { name: 'The administrators of the workspace' },
});

const serversAt = (mountPoint: string): readonly object[] => [
  { url: mountPoint, description: 'The deployment that serves this document.' },
  {
    url: `https://{base}${mountPoint}`,
    description: 'A workspace by its domain.',
    variables: {
      base: { default: 'workspace.example', description: 'The workspace’s domain.' },
    },
  },
];

const tagsOf = (operations: readonly Operation[]): readonly object[] =>
  [...new Set(operations.map((operation) => operation.family))].map(tagOf);

// The schemas are read last, once everything has referred to them.
const componentsOf = (components: Components, schemes: object, errors: ErrorStyle): object => ({
  securitySchemes: schemes,
  headers: headerComponents(errors),
  responses: commonResponses(components, errors),
  schemas: components.schemas(),
});

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

const settingsRules = `What members do when they are signed in, and how a workspace is set up.

- \`POST /session\` signs in and sets a cookie, which every other request carries.
- A write whose \`Origin\` is another site’s is refused.
- A missing value is \`null\` in an answer, not an absent field. Answers may gain fields.
- An unknown query parameter is refused, and one that is given twice.
- Below \`/v1\` are the operations of the public API, with the member’s rights and the errors of this API.
- \`x-admin\` marks what administrators alone may do.`;

const cookie = (name: string, description: string) => ({
  ...{ type: 'apiKey', in: 'cookie', name, description },
});

const sessionSchemes = {
  session: cookie('postroom_session', 'The session of a member, over http.'),
  secureSession: cookie('__Host-postroom_session', 'The session of a member, over https.'),
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
  ...(operation.audience === 'anyone' && { security: [] }),
  parameters: [
    ...operation.fields.path.map((field) => parameter(operation, field, 'path', components)),
    ...operation.fields.query.map((field) => parameter(operation, field, 'query', components)),
    ...headerParameters(operation),
  ],
  ...(operation.fields.body.length > 0 && { requestBody: requestBody(operation, components) }),
  ...(operation.upload && { requestBody: uploaded(operation.upload.mediaTypes) }),
  responses: responsesOf(operation, components),
});

/**
 * `ArchiveConversation` takes the input of `archiveConversation`; the public API has no two of a name. Others share
 * their inputs, and are named after their place in the table.
 */
export const operationId = ({ audience, input, name, family }: Operation): string =>
  audience === 'key' ? lowerFirst(input.name) : `${name}${pascal(family)}`;

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const parameter = (
  operation: Operation,
  field: Field,
  place: 'path' | 'query',
  { hoisted }: Components,
): JsonSchema => ({
  name: field.name,
  in: place,
  required: !field.optional,
  description: describedField(field),
  schema: hoisted(valueSchema(field)),
  ...parameterExample(operation, field),
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
      ...bodyExample(operation),
    },
  },
});

const uploaded = (mediaTypes: readonly string[]): JsonSchema => ({
  description: 'The file as it is, of any length: it is read as it comes in.',
  required: true,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, binary])),
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
