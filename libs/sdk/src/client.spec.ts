import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { type ClientOptions, createClient } from './client.js';
import { PostroomError } from './errors.js';
import { waitForApproval } from './approval.js';
import { responseOf } from './request.js';
import { sleep } from './retry.js';

type Request = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
};
type Step = (request: Request) => Response | Promise<Response>;

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });
const key = (request: Request) => request.headers.get('Idempotency-Key');
const broken: Step = () => Promise.reject(new TypeError('fetch failed'));

/** A client of a server that answers by these steps, the last one again and again; its clock is that of its waits. */
function talkingTo(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const waits: number[] = [];
  const clock = { now: 0 };
  const made = createClient<boolean>({
    baseUrl: 'https://postroom.test/public/',
    apiKey: 'pr_human_x',
    now: () => clock.now,
    sleep: async (ms) => {
      waits.push(ms);
      clock.now += ms;
    },
    fetch: async (url, init) => {
      const { method = '', headers, body } = init ?? {};
      const request = {
        ...{ url: url as string, method, headers: new Headers(headers) },
        body: typeof body === 'string' ? (JSON.parse(body) as unknown) : null,
      };
      requests.push(request);
      return (steps[Math.min(requests.length, steps.length) - 1] as Step)(request);
    },
    ...options,
  });
  return { client: made, requests, waits };
}

const comment = { id: 'cnv_1', mailbox: 'support@acme.test', text: 'Hello' };
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as PostroomError,
  );

describe('a call', () => {
  it('puts the fields where the operation has them', async () => {
    const { client, requests } = talkingTo([() => json(200, { ok: true })]);
    await client.conversations.comment(comment, { idempotencyKey: 'chosen-key' });
    await client.drafts.remove({ id: 'drf/1', mailbox: 'a@b.test', ifMatch: 3 });
    await client.webhooks.test();
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      [
        'POST',
        'https://postroom.test/public/v1/conversations/cnv_1/comment',
        { mailbox: comment.mailbox, text: 'Hello' },
      ],
      ['DELETE', 'https://postroom.test/public/v1/drafts/drf%2F1?mailbox=a%40b.test', null],
      ['GET', 'https://postroom.test/public/v1/webhooks/test', null],
    ]);
    const [first, second, third] = requests as [Request, Request, Request];
    expect([key(first), first.headers.get('X-Api-Key')]).toEqual(['chosen-key', 'pr_human_x']);
    expect([second.headers.get('If-Match'), key(third)]).toEqual(['3', expect.any(String)]);
  });

  it('makes the base64 of a Blob, in a draft too', async () => {
    const { client, requests } = talkingTo([() => json(201, { draft: {} })]);
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);
    const content = new File([bytes], 'photo.png', { type: 'image/png' });
    await client.drafts.create({ mailbox: 'a@b.test', draft: { attachments: [{ content }] } });
    const contentBase64 = Buffer.from(bytes).toString('base64');
    expect(requests[0]?.body).toMatchObject({
      draft: { attachments: [{ contentBase64, filename: 'photo.png', mimeType: 'image/png' }] },
    });
  });

  it('says whether an answer is a replay, and what was ignored', async () => {
    const headers = { 'X-Svc-Idempotency': 'hit', 'X-Svc-Ignored': 'nom, a%2Cb' };
    const { client } = talkingTo([() => json(200, { ok: true }, headers)]);
    const answer = await client.conversations.archive(comment);
    expect(responseOf(answer)).toMatchObject({ isReplay: true, ignored: ['nom', 'a,b'] });
  });

  it('tells a refusal by its code, whatever its text', async () => {
    const body = {
      error: 'Champ refusé.',
      code: 'INVALID_REQUEST',
      requestId: 'r1',
      details: [{ field: 'text' }],
    };
    const { client, requests } = talkingTo([() => json(400, body)]);
    const error = await refusalOf(client.conversations.comment(comment));
    expect(error).toMatchObject({ status: 400, code: 'INVALID_REQUEST', requestId: 'r1' });
    expect([error?.details, requests.length]).toEqual([[{ field: 'text' }], 1]);
  });

  it('says who rejected a write, and why', async () => {
    const approval = { state: 'rejected', decidedBy: 'Max Member', comment: 'Not this one' };
    const body = { error: 'Closed.', code: 'APPROVAL_CLOSED', approval };
    const { client } = talkingTo([() => json(409, body)]);
    const message = 'Closed. It is rejected by Max Member: Not this one.';
    expect(await refusalOf(client.conversations.comment(comment))).toMatchObject({ message });
  });

  it('asks about the address where there is no such route', async () => {
    const body = { error: 'There is no such route.', code: 'ROUTE_NOT_FOUND' };
    const { client } = talkingTo([() => json(404, body)]);
    const message = 'There is no such route. Is baseUrl that of the API, /public included?';
    expect(await refusalOf(client.me.get())).toMatchObject({ message });
  });

  it('says that an answer is not of the API', async () => {
    const { client } = talkingTo([() => new Response('<html>')]);
    expect(await refusalOf(client.me.get())).toMatchObject({ code: 'NOT_JSON', status: 200 });
  });
});

describe('repeats', () => {
  const busy =
    (status: number, body: object = {}, headers = {}): Step =>
    () =>
      json(status, body, headers);
  const done = busy(200, { ok: true });

  it.each<[string, readonly Step[], readonly number[]]>([
    ['no answer, doubling the wait', [broken, broken, done], [500, 1000]],
    ['429, at the time that it says', [busy(429, {}, { 'Retry-After': '7' }), done], [7000]],
    ['503', [busy(503, {}, { 'Retry-After': '1' }), done], [1000]],
    ['502 with an outcome unknown', [busy(502, { outcomeUnknown: true }), done], [500]],
    ['409 of a send under way', [busy(409, { duplicate: true }), done], [2000]],
    ['409 of a write under way', [busy(409, { code: 'DUPLICATE_IN_PROGRESS' }), done], [2000]],
  ])('%s', async (_name, steps, expected) => {
    const { client, requests, waits } = talkingTo(steps);
    const message = { mailbox: 'a@b.test', to: 'c@d.test', subject: 'S', body: 'B' };
    const answer = await client.messages.send(message);
    expect(waits).toEqual(expected);
    expect(responseOf(answer)?.attempts).toBe(steps.length);
    expect(new Set(requests.map(key)).size).toBe(1);
  });

  it.each([400, 401, 403, 404, 409, 413, 500, 502])('not after %i', async (status) => {
    const { client, requests } = talkingTo([busy(status)]);
    expect(await refusalOf(client.conversations.archive(comment))).toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  it('no wait beyond the time given, and says when to ask again', async () => {
    const { client, requests } = talkingTo([busy(429, {}, { 'Retry-After': '60' })]);
    const error = await refusalOf(client.me.get({}, { timeoutMs: 30_000 }));
    expect(error).toMatchObject({ status: 429, retryAfterMs: 60_000 });
    expect(requests).toHaveLength(1);
  });

  it('nothing once the caller has given up', async () => {
    const { client, requests } = talkingTo([broken]);
    const signal = AbortSignal.abort(new Error('enough'));
    const cause = { message: 'enough' };
    const key = { idempotencyKey: 'chosen-key' };
    const given = await refusalOf(client.conversations.comment(comment, { signal, ...key }));
    expect(given).toMatchObject({ code: 'ABORTED', outcomeUnknown: true, ...key });
    expect((given as Error).cause).toMatchObject(cause);
    expect(given).toBeInstanceOf(PostroomError);
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  it('nothing once the caller has given up while it waits to repeat', async () => {
    const giving = new AbortController();
    const { client, requests } = talkingTo([busy(429, {}, { 'Retry-After': '7' })], { sleep });
    const refused = refusalOf(client.conversations.archive(comment, { signal: giving.signal }));
    setImmediate(() => giving.abort());
    expect(await refused).toMatchObject({ code: 'ABORTED', outcomeUnknown: false });
    expect(requests).toHaveLength(1);
  });

  it('a write under one key, so that it is done once at most, whatever is lost', async () => {
    // Each fault may come before the server has done the write, or after.
    const fault = fc.record({
      isDone: fc.boolean(),
      answer: fc.constantFrom<Step | null>(
        ...[null, broken, busy(429), busy(503), busy(502, { outcomeUnknown: true })],
        ...[busy(409, { duplicate: true }), busy(500), busy(404)],
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async (faults) => {
        const effects = new Map<string | null, number>();
        const perform = (request: Request): Response => {
          const before = effects.get(key(request));
          effects.set(key(request), before ?? effects.size + 1);
          return json(200, { ok: true, effect: effects.get(key(request)) });
        };
        const steps = faults.map(({ isDone, answer }): Step => (request) => {
          const answered = isDone || !answer ? perform(request) : undefined;
          return answer ? answer(request) : (answered as Response);
        });
        const { client, requests } = talkingTo([...steps, perform]);
        const error = await refusalOf(client.conversations.comment(comment));
        expect(effects.size).toBeLessThanOrEqual(1);
        expect(requests.length).toBeLessThanOrEqual(4);
        expect(error === undefined || error instanceof PostroomError).toBe(true);
        if (!error) expect(effects.size).toBe(1);
        // The error names the key under which to call again.
        else expect(key(requests[0] as Request)).toBe(error.idempotencyKey);
      }),
      { numRuns: repetitions(5_000) },
    );
  });
});

describe('pages', () => {
  it('are walked to the last, each asked with the token of the one before', async () => {
    const page =
      (id: string, nextPageToken: string | null): Step =>
      () =>
        json(200, { conversations: [{ id }], nextPageToken });
    const { client, requests } = talkingTo([page('a', 't1'), page('b', null)]);
    const ids: string[] = [];
    for await (const { id } of client.conversations.iterate({ mailbox: 'a@b.test' })) ids.push(id);
    const tokens = requests.map(({ url }) => new URL(url).searchParams.get('pageToken'));
    expect([ids, tokens]).toEqual([
      ['a', 'b'],
      [null, 't1'],
    ]);
  });

  it('of the feed go on from the cursor, without an end', async () => {
    const page =
      (id: string): Step =>
      () =>
        json(200, { events: [{ id }], nextAfter: id });
    const { client, requests } = talkingTo([page('e1'), page('e2'), page('e3')]);
    const seen: string[] = [];
    for await (const { id } of client.events.follow({ after: 'latest' })) {
      seen.push(id);
      if (seen.length === 3) break;
    }
    const after = requests.map(({ url }) => new URL(url).searchParams.get('after'));
    expect([seen, after]).toEqual([
      ['e1', 'e2', 'e3'],
      ['latest', 'e1', 'e2'],
    ]);
  });
});

describe('a write of an agent', () => {
  const filed: Step = () => json(202, { approvalRequired: true, approval: { id: 'apr_1' } });

  it('waits, and is answered once it is approved, under the same key', async () => {
    const { client, requests } = talkingTo([filed, filed, () => json(200, { ok: true })], {
      agent: true,
    });
    const written = await client.conversations.comment(comment);
    expect(written).toMatchObject({ approvalRequired: true, approval: { id: 'apr_1' } });
    expect(await waitForApproval(written as never, { intervalMs: 1 })).toEqual({ ok: true });
    expect([requests.length, new Set(requests.map(key)).size]).toEqual([3, 1]);
  });

  it('is not waited for beyond the time given', async () => {
    const { client } = talkingTo([filed], { agent: true });
    const written = await client.conversations.comment(comment);
    const error = await refusalOf(
      waitForApproval(written as never, { timeoutMs: 5, intervalMs: 10 }),
    );
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      message: 'Nobody has decided about apr_1 yet.',
    });
  });

  it('is an error of a client that was not made for an agent', async () => {
    const { client } = talkingTo([filed]);
    expect(await refusalOf(client.conversations.comment(comment))).toMatchObject({
      ...{ code: 'APPROVAL_REQUIRED', body: { approval: { id: 'apr_1' } } },
    });
  });
});
