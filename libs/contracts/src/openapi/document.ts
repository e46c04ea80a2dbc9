import { Refusal } from '../answers.js';
import { valueSchema, type Field, type JsonSchema } from '../fields/index.js';
import type { Row } from '../operation.js';
import { mountPoints, table } from '../table.js';
import { commonResponses, responsesOf } from './answers.js';
import { gatherComponents, type Components } from './components.js';
import { headerComponents, headerParameters } from './headers.js';
import { webhooksOf } from './webhooks.js';

/**
 * The OpenAPI 3.1 document of the public API: a reading of the rows with audience `key`, those of
 * the whole table by default, and of the events that its webhooks tell of.
 *
 * @throws Error when two classes share a name, or one class is part of an answer and of an input
 * that refuses unknown fields.
 */
export function openApiDocument(rows: readonly Row[] = table): object {
  const published = rows.filter((row) => row.audience === 'key');
  const components = gatherComponents({
    ApprovalFiled: () => approvalFiled,
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
    tags: [...new Set(published.map((row) => row.family))].map((name) => ({ name })),
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

const approvalFiled: JsonSchema = {
  type: 'object',
  properties: {
    approvalRequired: { type: 'boolean', const: true, description: 'Always true.' },
    approval: { type: 'object', description: 'The approval request that was filed.' },
  },
  required: ['approvalRequired', 'approval'],
};

/** The refusals of the families that answer codes; their rows' problems are the closed list. */
const codedErrorBody = (refusal: JsonSchema, rows: readonly Row[]): JsonSchema => ({
  allOf: [refusal],
  type: 'object',
  properties: {
    error: {
      type: 'string',
      enum: [...new Set(rows.flatMap((row) => (row.errors === 'codes' ? row.problems : [])))],
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

function paths(rows: readonly Row[], components: Components): JsonSchema {
  const items: Record<string, Record<string, JsonSchema>> = {};
  for (const row of rows) {
    const path = row.path.replace(/:(\w+)/g, '{$1}');
    items[path] = { ...items[path], [row.method.toLowerCase()]: operation(row, components) };
  }
  return items;
}

const operation = (row: Row, components: Components): JsonSchema => ({
  operationId: operationId(row),
  tags: [row.family],
  summary: row.summary,
  ...(row.description !== '' && { description: row.description }),
  'x-scope': row.scope,
  ...(row.addition && { 'x-addition': true }),
  parameters: [
    ...row.fields.path.map((field) => parameter(field, 'path')),
    ...row.fields.query.map((field) => parameter(field, 'query')),
    ...headerParameters(row),
  ],
  ...(row.fields.body.length > 0 && { requestBody: requestBody(row, components) }),
  responses: responsesOf(row, components),
});

/** `ArchiveConversation` takes the input of `archiveConversation`; the table has no two of a name. */
const operationId = ({ input: { name } }: Row): string =>
  name.charAt(0).toLowerCase() + name.slice(1);

const parameter = (field: Field, place: 'path' | 'query'): JsonSchema => ({
  name: field.name,
  in: place,
  required: !field.optional,
  description: field.about,
  schema: valueSchema(field),
});

const requestBody = (row: Row, { refer }: Components): JsonSchema => ({
  description: `At most ${row.bodyMax.toLocaleString('en')} bytes, whatever its fields may have.`,
  required: row.fields.body.some((field) => !field.optional),
  content: {
    'application/json': {
      schema: refer(row.input, {
        only: row.fields.body,
        closed: row.unknownFields === 'refuse',
      }),
    },
  },
});
