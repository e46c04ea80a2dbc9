// tags: own
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  clientCall,
  type Example,
  exampleOf,
  isMounted,
  type Operation,
  ownText,
  table,
} from '@postroom/contracts';
import { createClient, type Done, PostroomError, responseOf, type Waiting } from '@postroom/sdk';
import { Correspondence, differences, idsIn } from './example-values.js';
import { type DemoTenant, tenantOf } from './product.js';
import { type ProductProcess, startProduct } from './product-process.js';
import { query } from './public-api.js';
import { SettingsApi } from './settings-api.js';

interface Case {
  readonly operation: Operation;
  readonly example: Example;
}

/** Those of a sandbox are in sandbox.spec.ts. */
const cases: readonly Case[] = table.filter(isMounted).flatMap((operation) => {
  if (operation.sandbox) return [];
  const example = exampleOf(operation);
  return example ? [{ operation, example }] : [];
});
const tried = cases.filter(({ example }) => example.untried === undefined);

/** The one whose answer an id is of and whose input does not name it: the one that made it, if any did. */
function sourceOf(id: string): Case | undefined {
  const able = tried.filter(
    ({ example: { input, answer, filed } }) =>
      !idsIn(input).includes(id) && idsIn([answer, filed]).includes(id),
  );
  const own = able.filter(({ example: { answer, filed } }) =>
    JSON.stringify([answer, filed]).includes(`"id":"${id}"`),
  );
  return own.find(({ operation }) => operation.success === 201) ?? own[0] ?? able[0];
}

/** In the order of the table, each after those that it needs, and what takes away at last, backwards. */
function inOrder(): readonly Case[] {
  const begun = new Set<Case>();
  const done = new Set<Case>();
  const take = (one: Case | undefined): void => {
    if (!one || begun.has(one)) return;
    begun.add(one);
    take(tried.find(({ operation }) => operation.id === one.example.after));
    for (const id of idsIn(one.example.input)) take(sourceOf(id));
    done.add(one);
  };
  const takesAway = ({ operation, example }: Case) =>
    operation.effect === 'destroy' && !example.after;
  tried.filter((one) => !takesAway(one)).forEach(take);
  tried.filter(takesAway).toReversed().forEach(take);
  return [...done];
}

/** `UPDATE_GOLDENS=1` writes the answers into the examples (then run the formatter). */
const records = process.env['UPDATE_GOLDENS'] === '1';

function write(recorded: ReadonlyMap<string, Example>): void {
  for (const [family, members] of Map.groupBy(cases, ({ operation }) => operation.family)) {
    const file = new URL(`../../../libs/contracts/examples/${family}.json`, import.meta.url);
    const all = members.map(({ operation: { id, name } }) => [name, recorded.get(id)]);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(all))}\n`);
  }
}

type Input = Readonly<Record<string, unknown>>;
type Methods = Readonly<Record<string, (input: Input) => Promise<object>>>;

interface CallAnswer {
  readonly status: number;
  readonly body: unknown;
}

const statusOf = (answer: object): number => responseOf(answer)?.status ?? 0;

/** The text of a file, if it is one. */
async function fileOf(answer: Response): Promise<string> {
  const mediaType = answer.headers.get('Content-Type') ?? '';
  const isText = /^(text|message)\/|ndjson/.test(mediaType);
  return isText ? answer.text() : `(the bytes of ${mediaType})`;
}

const pick = (fields: readonly { readonly name: string }[], given: Input): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name }) => (name in given ? [[name, given[name] as string]] : [])),
  );

function pathOf({ path, fields }: Operation, given: Input): string {
  const search = query(pick(fields.query, given));
  const at = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(given[name] as string),
  );
  return search === '' ? at : `${at}?${search}`;
}

function bodyOf({ method, request, fields }: Operation, given: Input): string | null {
  if (method === 'GET' || method === 'DELETE') return null;
  return JSON.stringify(ownText(request) ? given['body'] : pick(fields.body, given));
}

describe('the examples of libs/contracts/examples', () => {
  let running: ProductProcess;
  let tenant: DemoTenant;
  let settings: SettingsApi;
  let correspondence: Correspondence;
  const recorded = new Map(cases.map(({ operation, example }) => [operation.id, example]));

  beforeAll(async () => {
    running = await startProduct();
    tenant = tenantOf(running.product, 'acme');
    settings = await SettingsApi.signIn(running.product, tenant.admin);
    correspondence = new Correspondence([
      ['correct horse battery staple', tenant.member.password],
      ['https://postroom.example.com', new URL(running.product.baseUrl).origin],
    ]);
  });

  afterAll(async () => {
    await running.remove();
    if (records) write(recorded);
  });

  /** Calls an operation as the example does: by the client of the public API, where that has it. */
  async function call(one: Case, input: object, key: string): Promise<CallAnswer> {
    const given = correspondence.ofRun(input) as Readonly<Record<string, unknown>>;
    const method = clientCall(one.operation);
    if (!method) return requested(one, given, key);
    const client = createClient<true>({
      baseUrl: running.product.baseUrl,
      apiKey: key,
      agent: true,
    });
    const { [method.name]: ask } = client[method.family as 'me'] as unknown as Methods;
    try {
      const answer = (await ask?.(given)) ?? {};
      if (answer instanceof Response) return { status: answer.status, body: await fileOf(answer) };
      if (!('approvalRequired' in Object(answer)))
        return { status: statusOf(answer), body: answer };
      const written = answer as Done<object> | Waiting<object>;
      if (!written.approvalRequired)
        return { status: statusOf(written.answer), body: written.answer };
      const { repeat: _repeat, ...body } = written;
      return { status: 202, body };
    } catch (error) {
      if (error instanceof PostroomError) return error;
      throw error;
    }
  }

  /** Calls an operation of the settings, or one that the client has not. */
  async function requested(one: Case, given: Input, key: string): Promise<CallAnswer> {
    const { operation, example } = one;
    const mount = operation.audience === 'key' ? 'baseUrl' : 'settingsUrl';
    const body = example.file?.text ?? bodyOf(operation, given);
    const answer = await fetch(running.product[mount] + pathOf(operation, given), {
      method: operation.method,
      headers: {
        ...{ 'Accept-Language': 'en', 'X-Api-Key': key },
        ...(operation.audience === 'member' && { Cookie: settings.cookie }),
        ...(body !== null && { 'Content-Type': example.file?.mediaType ?? 'application/json' }),
      },
      body,
    });
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json');
    return { status: answer.status, body: isJson ? await answer.json() : await fileOf(answer) };
  }

  /** Asks until the answer has the form that the example says: what a write has started may take a moment. */
  async function answerLike(
    one: Case,
    ask: () => Promise<CallAnswer>,
    expected: unknown,
  ): Promise<CallAnswer> {
    let told = await ask();
    const faults = () =>
      differences(expected ?? {}, told.body).filter(
        (fault) => !records || fault.endsWith('in the example only'),
      );
    if (one.operation.effect === 'read')
      for (let asked = 0; asked < 120 && faults().length > 0; asked++) {
        // Seldom enough for the rate limit of a member.
        await sleep(500);
        told = await ask();
      }
    correspondence.learn(expected, told.body);
    expect({ ...told, faults: faults() }).toEqual({ ...told, faults: [] });
    return { status: told.status, body: correspondence.asExample(told.body, expected) };
  }

  it('that no longer match are refused: a field that went, that came, or is of another type', () => {
    const example = { items: [{ id: 'a', n: 1 }], gone: null, note: null };
    const answer = { items: [{ id: 'b', n: '1', more: true }], note: 'any' };
    expect(differences(example, answer)).toEqual([
      '/items/0/n is number in the example, string in the answer',
      '/items/0/more is in the answer only',
      '/gone is in the example only',
    ]);
  });

  it.each(inOrder().map((one) => [one.operation.id, one] as const))('%s', async (_id, one) => {
    const { operation, example } = one;
    const { admin, agent } = tenant.keys;
    let { filed, problem } = example;
    if (filed) {
      const waiting = await answerLike(one, () => call(one, example.input, agent), filed);
      expect(waiting.status).toBe(202);
      filed = waiting.body;
    }
    const key = example.as === 'agent' ? agent : admin;
    const { status, body } = await answerLike(
      one,
      () => call(one, example.input, key),
      example.answer,
    );
    expect([status, body]).toEqual([
      operation.existing ? expect.any(Number) : operation.success,
      body,
    ]);
    if (problem) {
      const { input } = problem;
      const refused = await answerLike(one, () => call(one, input, key), problem.answer);
      expect([refused.status, refused.body]).toEqual([problem.status, refused.body]);
      problem = { ...problem, answer: refused.body };
    }
    const { title, as, after, input, file } = example;
    const kept = { title, as, after, input, file, answer: body, filed, problem } as Example;
    recorded.set(operation.id, kept);
  });
});
