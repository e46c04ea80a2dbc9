import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ErrorBody, FileAnswer } from '../answers.js';
import { eventPayloads, type EventDeclaration } from '../event-payloads/payloads.js';
import { eventGroups, type EventType } from '../events.js';
import { Email, Id, jsonSchema, Part, Text, type JsonSchema } from '../fields/index.js';
import { expectGolden } from '../testing/golden.js';
import { family, operation, ownText, type Operation } from '../operation.js';
import { validatorOf, valuesOf } from '../testing/schema-values.js';
import { mountedOperations, table } from '../table.js';
import { openApiDocument, settingsDocument } from './document.js';

interface PathOperation {
  readonly operationId: string;
  readonly 'x-scope': string;
  readonly parameters: readonly { name: string; in: string; required: boolean }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Webhook {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
    };
  };
}

interface Document extends Record<string, unknown> {
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The document as a client reads it. */
const read = (rows?: readonly Operation[]): Document =>
  JSON.parse(JSON.stringify(openApiDocument(rows))) as Document;

const operationOf = (document: Document, operation: Operation): PathOperation | undefined =>
  document.paths[operation.path.replace(/:(\w+)/g, '{$1}')]?.[operation.method.toLowerCase()];

/** A component with all that it refers to, as a schema of its own. */
const component = ({ components }: Document, name: string): JsonSchema =>
  JSON.parse(
    JSON.stringify({ $ref: `#/components/schemas/${name}`, $defs: components.schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    ),
  ) as JsonSchema;

class NameThing {
  @Id('cnv', 'The thing.')
  id!: string;

  @Text('Its new name.', { max: 80 })
  name!: string;
}

class Thing {
  @Id('cnv', 'The thing.')
  id!: string;
}

const operations = {
  name: operation({
    http: 'POST /v1/things/:id/name',
    scope: 'write:contacts',
    effect: 'write',
    summary: 'Name a thing',
    input: NameThing,
    output: Thing,
    member: true,
    success: 201,
    problems: ['CONVERSATION_NOT_FOUND', 'VERSION_CONFLICT', 'KEY_NOT_FOUND'],
  }),
};

const document = read();
const published = table.filter((operation) => operation.audience === 'key');

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, every reference included', async () => {
    const validator = new Validator();
    expect(await validator.validate(read())).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(JSON.stringify(validator.resolveRefs())).not.toContain('$ref');
  });

  it('is version 1.0.0 and tells where it is served', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: '/public' }, { url: 'https://{base}/public' }],
    });
  });

  it('has every public operation with its scope, and no other', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operations).toHaveLength(published.length);
    for (const operation of published) {
      const scope = operation.scope === 'any' ? null : operation.scope;
      expect(operationOf(document, operation)).toMatchObject({ 'x-scope': scope });
    }
  });

  it('names an operation after its input, verb and noun', () => {
    expect(operationOf(document, published[0] as Operation)?.operationId).toBe('listConversations');
    const names = published.map((operation) => operationOf(document, operation)?.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('takes every input field once: path, query or body', () => {
    for (const operation of published) {
      const parameters = operationOf(document, operation)?.parameters ?? [];
      const places = parameters.filter((one) => one.in !== 'header').map((one) => one.name);
      const { path, query, body } = operation.fields;
      expect(places).toEqual([...path, ...query].map((field) => field.name));
      // A body that the service reads itself is described by a schema of the operation's own.
      if (ownText(operation.request)) continue;
      const closedTo = document.components.schemas[operation.input.name]?.properties ?? {};
      expect(Object.keys(closedTo)).toEqual(body.map((field) => field.name));
    }
  });

  it('describes each answer as the table does, reference by reference', () => {
    const inJson = published.filter((operation) => operation.output !== FileAnswer);
    for (const operation of inJson) {
      const matches = validatorOf(component(document, operation.output.name));
      fc.assert(
        fc.property(valuesOf(jsonSchema(operation.output)), (answer) => matches(answer)),
        { numRuns: 25 },
      );
    }
  });

  it('describes the body of each webhook as its event type declares it', () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.values(eventGroups).flat());
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema } = post.requestBody.content['application/json'];
      const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
      const referred = JSON.parse(
        whole.replaceAll('#/components/schemas/', '#/$defs/'),
      ) as JsonSchema;
      const matches = validatorOf(referred);
      const { resource, data: declared }: EventDeclaration = eventPayloads[type as EventType];
      const data = declared ? valuesOf(jsonSchema(declared)) : fc.object();
      const [body] = fc.sample(data, 1);
      const event = {
        id: 'evn_01JD0000000000000000000000',
        type,
        occurredAt: '2026-01-01T10:00:00.000Z',
        tenantId: 'ten_01JD0000000000000000000000',
        apiVersion: 'v1',
        resource: { type: resource ?? 'anything', id: 'x' },
        sequence: 1,
        actor: { type: 'system', id: null },
        source: 'app',
        data: body,
        previous: null,
      };
      expect([type, matches(event), matches({ ...event, type: 'other' })]).toEqual([
        type,
        true,
        false,
      ]);
    }
  });

  it('describes a file as bytes', () => {
    const files = published.filter(
      ({ output, answer }) => output === FileAnswer && !ownText(answer),
    );
    const bytesOf = (mediaType: string) => ({
      'x-addition': true,
      responses: { 200: { content: { [mediaType]: { schema: { format: 'binary' } } } } },
    });
    expect(files.map((one) => [one.id, operationOf(document, one)])).toMatchObject([
      ['attachments.get', bytesOf('application/octet-stream')],
      ['messages.raw', bytesOf('message/rfc822')],
      ['contacts.photo', bytesOf('image/*')],
    ]);
  });

  it('refuses unknown body fields where decoding does', () => {
    const takes = validatorOf(component(document, 'CommentOnConversation'));
    const body = { mailbox: 'support@acme.test', text: 'On it.' };
    expect(takes(body)).toBe(true);
    expect(takes({ ...body, extra: 1 })).toBe(false);
  });

  it('asks for an Idempotency-Key as the operation does', () => {
    const required = (operation: Operation): boolean | undefined =>
      operationOf(document, operation)?.parameters.find((one) => one.name === 'Idempotency-Key')
        ?.required;
    for (const operation of published) {
      const told = { none: undefined, optional: false, required: true, send: true };
      expect(required(operation)).toBe(
        ownText(operation.answer) ? false : told[operation.idempotency],
      );
    }
  });

  it('reads well to generators: no default of a property, each event a named schema, patterns without a flag', () => {
    const text = JSON.stringify({ ...document, servers: [] });
    expect(text).not.toMatch(/"default":/);
    for (const [, pattern = ''] of text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g))
      expect(() => new RegExp(JSON.parse(pattern) as string)).not.toThrow();
    for (const { post } of Object.values(document.webhooks))
      expect(post.requestBody.content['application/json'].schema).toEqual({
        $ref: expect.stringMatching(/^#\/components\/schemas\/\w+Event$/),
      });
  });

  it('lists every answer that an operation can give', () => {
    const statuses = (operation: Operation): readonly string[] =>
      Object.keys(operationOf(document, operation)?.responses ?? {});
    const [list, get, archive] = published as [Operation, Operation, Operation];
    expect(statuses(list)).toEqual(['200', '400', '401', '403', '404', '429', '500', '503']);
    expect(statuses(get)).toEqual(['200', '400', '401', '403', '404', '429', '500', '503']);
    expect(statuses(archive)).toEqual([
      '200',
      '202',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
  });

  it('describes the body of a refusal', () => {
    const matches = validatorOf(component(document, ErrorBody.name));
    const body = { error: 'Requête invalide.', code: 'INVALID_REQUEST', requestId: 'req_1' };
    expect(matches(body)).toBe(true);
    const fault = { field: 'limit', code: 'NOT_A_NUMBER', message: 'nombre attendu' };
    expect(matches({ ...body, details: [fault] })).toBe(true);
    expect(matches({ ...body, details: [{ ...fault, code: 'ODD' }] })).toBe(false);
    expect(matches({ error: 'Requête invalide.', requestId: 'req_1' })).toBe(false);
  });

  it('lists what an address with a protocol of its own answers beside its results', () => {
    const agents = document.paths['/mcp']?.['post']?.responses ?? {};
    expect(Object.keys(agents)).toEqual(expect.arrayContaining(['200', '202', '405']));
    expect(agents['202']).not.toHaveProperty('content');
  });

  it('is what its golden file says', () => {
    expectGolden('openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
  });
});

describe('the OpenAPI document of the settings API', () => {
  const settings = JSON.parse(JSON.stringify(settingsDocument())) as Document;
  const rows = mountedOperations.filter(({ audience }) => audience !== 'key');
  const of = (method: string, path: string) => settings.paths[path]?.[method];

  it('is valid too, and served below the settings', async () => {
    expect(await new Validator().validate(settings)).toEqual({ valid: true });
    expect(settings).toMatchObject({ servers: [{ url: '/settings/api' }, {}] });
  });

  it('has every operation of members, each of another name, with what it answers', () => {
    const described = rows.map((row) => operationOf(settings, row));
    expect(new Set(described.map((one) => one?.operationId)).size).toBe(rows.length);
    for (const [i, { success, admin }] of rows.entries()) {
      expect(described[i]).toMatchObject({
        'x-admin': admin,
        'x-limit': 'member',
        'x-scope': null,
      });
      expect(Object.keys(described[i]?.responses ?? {})).toContain(String(success));
    }
    expect(of('post', '/v1/conversations/{id}/archive')?.responses).not.toHaveProperty('202');
  });

  it('says who may ask, and how refusals look', () => {
    expect(of('post', '/session')).toMatchObject({ security: [], responses: { 401: {}, 429: {} } });
    expect(of('post', '/keys')?.responses['403']).toMatchObject({
      description: expect.stringContaining('Only an administrator'),
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/SettingsErrorBody' } },
      },
    });
    const matches = validatorOf(component(settings, 'SettingsErrorBody'));
    expect(matches({ error: 'TEAM_EXISTS', message: 'x', requestId: 'r' })).toBe(true);
    expect(matches({ error: 'TEAM_EXISTS' })).toBe(false);
  });

  it('tells files from JSON, and steps from their continuation', () => {
    expect(of('post', '/mailboxes/{id}/import')?.requestBody).toMatchObject({
      content: { 'message/rfc822': {}, 'application/mbox': {} },
    });
    expect(of('get', '/audit/export')?.responses['200']).toMatchObject({
      content: { 'application/x-ndjson': {} },
    });
    expect(settings.components.schemas['AuditVerdict']?.properties).not.toHaveProperty('after');
  });
});

describe('the OpenAPI document of a family that answers codes', () => {
  const codes = read(Object.values(family('mail', 'things', operations, { codes: 'contacts' })));
  const responses = codes.paths['/v1/things/{id}/name']?.post?.responses;

  it('is valid too', async () => {
    expect(await new Validator().validate(codes)).toEqual({ valid: true });
  });

  it('answers its own refusals by the codes of its rows', () => {
    expect(responses).toMatchObject({
      201: {},
      404: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/CodedErrorBody' } },
        },
      },
    });
    const matches = validatorOf(component(codes, 'CodedErrorBody'));
    const body = { code: 'VERSION_CONFLICT', requestId: 'r' };
    expect(matches({ error: 'CONTACTS_FAILED', ...body })).toBe(true);
    expect(matches({ error: 'MAILBOX_EXISTS', ...body })).toBe(false);
    expect(matches({ error: 'CONTACTS_FAILED' })).toBe(false);
  });

  it('answers by text what is refused before the operation', () => {
    const text = { schema: { $ref: '#/components/schemas/ErrorBody' } };
    const either = {
      schema: { anyOf: [{ $ref: '#/components/schemas/CodedErrorBody' }, text.schema] },
    };
    expect(responses).toMatchObject({
      403: { content: { 'application/json': text } },
      409: { content: { 'application/json': either } },
    });
  });
});

describe('the components', () => {
  class GivenAndTaken {
    @Email('An address.')
    email!: string;
  }
  class Taken {
    @Part(() => GivenAndTaken, 'The part.')
    part!: GivenAndTaken;
  }
  class Given {
    @Part(() => GivenAndTaken, 'The part.')
    part!: GivenAndTaken;
  }
  const rows = (unknownFields: 'refuse' | 'ignore', output = Given): readonly Operation[] =>
    Object.values(
      family('mail', 'things', {
        make: operation({
          http: 'POST /v1/things',
          scope: 'write:contacts',
          effect: 'write',
          summary: 'Make a thing',
          input: Taken,
          output,
          unknownFields,
        }),
      }),
    );

  it('share a class between an answer and an input that ignores unknown fields', () => {
    expect(read(rows('ignore')).components.schemas).toHaveProperty('GivenAndTaken');
  });

  it('refuse a class that an answer shares with an input that refuses unknown fields', () => {
    expect(() => read(rows('refuse'))).toThrow('GivenAndTaken is part of an input');
  });

  it('refuse two classes of one name', () => {
    class Other {
      @Text('A text.', { max: 5 })
      part!: string;
    }
    Object.defineProperty(Other, 'name', { value: 'GivenAndTaken' });
    class Both extends Given {
      @Part(() => Other, 'The other part.')
      other!: Other;
    }
    expect(() => read(rows('ignore', Both))).toThrow('Two classes are named GivenAndTaken');
  });
});
