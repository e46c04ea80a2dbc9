import { describe, expect, it } from '@jest/globals';
import { eventGroup } from './events.js';
import { fieldsOf, jsonSchema, type Dto } from './fields/index.js';
import { Nothing } from './inputs.js';
import { tagOf } from './openapi/descriptions.js';
import { expectGolden } from './testing/golden.js';
import type { Operation } from './operation.js';
import { isProblemCode, problemFacts, type ProblemCode } from './problems.js';
import { isMounted, mountPoints, operationsById, operationsOf, table } from './table.js';

const ids = (operations: readonly Operation[]): readonly string[] =>
  operations.map((operation) => operation.id);

/** The ids of the operations that break a law. */
const breaking = (broken: (operation: Operation) => boolean): readonly string[] =>
  ids(table.filter(broken));

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, i) => names.indexOf(name) !== i);

/** A class and those of its parts, at any depth. */
const withParts = (dto: Dto, seen = new Set<Dto>()): ReadonlySet<Dto> => {
  if (seen.has(dto)) return seen;
  seen.add(dto);
  for (const field of fieldsOf(dto)) if (field.part) withParts(field.part(), seen);
  return seen;
};

const dtosOf = (operations: readonly Operation[], side: 'input' | 'output'): readonly Dto[] =>
  operations.flatMap((operation) => [...withParts(operation[side])]);

const dtos = [...new Set([...dtosOf(table, 'input'), ...dtosOf(table, 'output')])];

interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** Every schema within a schema, with its path. */
function* schemasIn(value: unknown, path = ''): Generator<readonly [string, Node]> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield [path, value as Node];
  for (const [key, inner] of Object.entries(value)) yield* schemasIn(inner, `${path}/${key}`);
}

const unbounded = (dto: Dto, type: string, bounded: (node: Node) => boolean): readonly string[] =>
  [...schemasIn(jsonSchema(dto), dto.name)]
    .filter(([, node]) => [node.type].flat().includes(type) && !bounded(node))
    .map(([path]) => path);

describe('the table', () => {
  it('gives every operation an id of its own', () => {
    expect(repeated(ids(table))).toEqual([]);
    expect(table.map((operation) => operationsById.get(operation.id))).toEqual(table);
  });

  // `boundedJson` of libs/operations ends them early.
  it('gives each list a page token or `truncated`', () => {
    const namesOf = (dto: Dto): readonly string[] => fieldsOf(dto).map(({ name }) => name);
    const endsEarly = ({ input, output }: Operation): boolean =>
      namesOf(output).includes('truncated') ||
      (namesOf(output).includes('nextPageToken') && namesOf(input).includes('limit'));
    const isList = ({ audience, effect, answer, output }: Operation): boolean =>
      audience !== 'service' &&
      effect === 'read' &&
      answer === 'json' &&
      fieldsOf(output).some(({ list }) => list);
    expect(breaking((operation) => isList(operation) && !endsEarly(operation))).toEqual([
      // Seven steps at most.
      'accountTests.run',
    ]);
  });

  it('has what carries a secret encrypted on the bus', () => {
    const isSecret = (dto: Dto): boolean =>
      [...withParts(dto)].some((part) => fieldsOf(part).some(({ name }) => name === 'secret'));
    expect(
      breaking(
        ({ input, output, audience, confidential }) =>
          !confidential && audience !== 'member' && (isSecret(input) || isSecret(output)),
      ),
    ).toEqual([]);
  });

  it('gives every operation a route of its own', () => {
    const routes = table.map(
      ({ audience, method, path }) =>
        `${method} ${mountPoints[audience]}${path.replace(/:\w+/g, ':')}`,
    );
    expect(repeated(routes)).toEqual([]);
  });

  it('keeps /v1 to the public rows, which members find there too; agents have an address of their own', () => {
    expect(
      breaking((operation) => operation.path.startsWith('/v1/') !== (operation.audience === 'key')),
    ).toEqual([
      ...[
        'bulk.change',
        'remoteImages.get',
        'draftSends.get',
        'draftSends.send',
        'draftSends.unsend',
        'uploads.create',
      ],
      'mcp.handle',
      'mcp.latest',
      'invitations.confirm',
    ]);
  });

  it('finds every path parameter in the input', () => {
    expect(
      breaking(({ path, fields }) => (path.match(/:/g) ?? []).length !== fields.path.length),
    ).toEqual([]);
  });

  it('answers not found wherever a path names a resource', () => {
    const refusesUnknown = (operation: Operation): boolean =>
      operation.problems.some((code) => problemFacts(code).status === 404);
    expect(
      breaking((operation) => operation.fields.path.length > 0 && !refusesUnknown(operation)),
    ).toEqual([]);
  });

  it('names every input whose name is read after its operation, and every class once', () => {
    const named = table.filter(({ audience, fields }) => audience === 'key' || fields.body.length);
    expect(repeated(named.filter(isMounted).map(({ input }) => input.name))).toEqual([]);
    expect(named.filter(({ input }) => input === Nothing).map(({ id }) => id)).toEqual([]);
    const read = new Set([...dtosOf(named, 'input'), ...dtosOf(table, 'output')]);
    expect(repeated([...read].map((dto) => dto.name))).toEqual([]);
  });

  it('gives every operation a service that serves it', () => {
    const services = [...new Set(table.map((operation) => operation.service))];
    const served = table.filter((operation) => operation.upload === null);
    expect(services.flatMap((service) => ids(operationsOf(service))).sort()).toEqual(
      [...ids(served)].sort(),
    );
  });

  it('describes every operation and every field in words', () => {
    const isSilent = (summary: string): boolean => !/^[A-Z].{3,98}[^.]$/.test(summary);
    expect(breaking(({ summary }) => isSilent(summary))).toEqual([]);
    expect(['', 'list', 'List them.'].map(isSilent)).toEqual([true, true, true]);
    expect(
      breaking((one) => isMounted(one) && tagOf(one.family).description === `${one.family}.`),
    ).toEqual([]);
    const silent = dtos.flatMap((dto) =>
      fieldsOf(dto)
        .filter((field) => !/^[A-Z`][^\n]{3,200}[.]$/.test(field.about))
        .map((field) => `${dto.name}.${field.name}`),
    );
    expect(silent).toEqual([]);
  });

  it('bounds every list', () => {
    expect(dtos.flatMap((dto) => unbounded(dto, 'array', (node) => 'maxItems' in node))).toEqual(
      [],
    );
  });

  it('bounds every text', () => {
    const bounded = (node: Node): boolean =>
      'maxLength' in node || 'enum' in node || 'const' in node;
    expect(dtos.flatMap((dto) => unbounded(dto, 'string', bounded))).toEqual([]);
  });

  it('bounds every number', () => {
    expect(dtos.flatMap((dto) => unbounded(dto, 'integer', (node) => 'maximum' in node))).toEqual(
      [],
    );
  });

  it('asks a scope of keys, and only of keys', () => {
    expect(breaking(({ audience, scope }) => (scope !== null) !== (audience === 'key'))).toEqual([
      // In the name of a key, over MCP alone.
      'eventSubscriptions.subscribe',
      'eventSubscriptions.unsubscribe',
    ]);
  });

  it('asks for an administrator only where a member is signed in', () => {
    expect(breaking((operation) => operation.admin && operation.audience !== 'member')).toEqual([]);
  });

  it('asks write access to the mailbox of a write, read access to that of a read', () => {
    const access = ({ audience, effect, input, path }: Operation): string => {
      const isOfMail = audience === 'key' || (audience === 'member' && path.startsWith('/v1/'));
      const named = isOfMail && fieldsOf(input).some((field) => field.name === 'mailbox');
      if (!named) return 'none';
      return effect === 'read' ? 'read' : 'write';
    };
    expect(breaking((operation) => operation.mailbox !== access(operation))).toEqual([]);
  });

  it('reads with GET, but for what no URL has room for, and changes with the other methods', () => {
    expect(breaking(({ method, effect }) => (method === 'GET') !== (effect === 'read'))).toEqual([
      'conversations.lease',
      'accountTests.run',
      'dlpRules.tryOut',
      'mcp.handle',
      'mcp.latest',
      // public-api.md §4: the only GET that is a write.
      'webhookTests.emit',
    ]);
  });

  it('lets only changes emit, need an Idempotency-Key or wait for approval', () => {
    expect(
      breaking(
        ({ effect, emits, idempotency, approval }) =>
          effect === 'read' && (emits.length > 0 || idempotency !== 'none' || approval !== 'never'),
      ),
    ).toEqual([]);
  });

  it('emits and refuses only what the catalogues hold, each once', () => {
    expect(breaking(({ emits }) => emits.some((type) => !eventGroup(type)))).toEqual([]);
    expect(breaking(({ problems }) => !problems.every(isProblemCode))).toEqual([]);
    expect(breaking(({ emits, problems }) => repeated([...emits, ...problems]).length > 0)).toEqual(
      [],
    );
  });

  it('is what its golden file says', () => {
    const list = (words: readonly string[]): string => words.join(',') || '-';
    const withStatus = (code: ProblemCode): string => `${code} ${problemFacts(code).status}`;
    const line = (operation: Operation): string =>
      [
        operation.id,
        `${operation.method} ${mountPoints[operation.audience]}${operation.path} ${operation.success}`,
        `${operation.service}, ${operation.audience}${operation.admin ? ' (admin)' : ''}`,
        operation.scope ?? '-',
        `${operation.effect}, mailbox ${operation.mailbox}${operation.member ? ', member' : ''}`,
        `idempotency ${operation.idempotency}`,
        `approval ${operation.approval}`,
        `emits ${list(operation.emits)}`,
        `problems ${list(operation.problems.map(withStatus))}`,
      ].join(' | ');
    expectGolden('table.txt', `${table.map(line).join('\n')}\n`);
  });
});
