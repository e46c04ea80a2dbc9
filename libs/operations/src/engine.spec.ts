import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callerKey, signCaller, type Decision, type MemberCaller } from '@postroom/access';
import { UnverifiedRecord, type ReplyEnvelope, type RequestEnvelope } from '@postroom/bus';
import {
  attachments,
  CommentOnConversation,
  conversations,
  FileAnswer,
  importSteps,
  invalidField,
  members,
  newId,
  Problem,
  sends,
  type Comment,
  type Operation,
  type SendReceipt,
} from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import {
  bump,
  comment,
  commentAnd,
  commentInput,
  CounterEntity,
  handlerOf,
  keyCaller,
  Ledger,
  nothing,
} from './testing/ledger.js';
import { commented } from './testing/payloads.js';

const operation = conversations.comment;

/** The answer of a reply, parsed. */
const answerOf = ({ body }: ReplyEnvelope): unknown => JSON.parse(body.toString());

const internal = { status: 500, problem: 'INTERNAL', headers: {} };

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
beforeEach(() => {
  ledger.logged();
});
afterAll(() => ledger.close());

// The limits operations.handlers and operations.longHandlers.
describe('handlers', () => {
  it('are shared by workspaces in turns, and those that may take long are others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const [busy, other] = [keyCaller(), keyCaller()];
    let begun = 0;
    const held = async (): Promise<object> => {
      begun += 1;
      await promise;
      return {};
    };
    const ask = (caller = busy, handler = held, ask = conversations.get as Operation) =>
      ledger.run(ask, handler, { caller, key: 'a key' });
    const flood = Array.from({ length: 80 }, () => ask());
    const at = { status: 200 };
    const quick = () => Promise.resolve({});
    expect(await ask(other, quick)).toMatchObject(at);
    expect(begun).toBe(64);
    expect(await ask(busy, quick, sends.create)).toMatchObject(at);
    resolve();
    for (const answer of await Promise.all(flood)) expect(answer).toMatchObject(at);
  });
});

describe('a write', () => {
  it('puts in the outbox the event as it will be delivered', async () => {
    const caller = keyCaller({ source: 'mcp' });
    const input = commentInput({ text: 'été "quoted" \\ 🙂 </script>' });
    const before = Date.now();
    const answer = await ledger.run(operation, commentAnd(), { caller, input });
    const [kept] = await ledger.sql<{ envelope: string }>(
      'SELECT event_id, type, resource, sequence, envelope FROM outbox WHERE tenant_id = $1',
      [caller.tenantId],
    );
    expect(kept).toMatchObject({
      event_id: expect.stringMatching(/^evn_/),
      type: 'conversation.commented',
      resource: input.id,
      sequence: '1',
    });
    const event: unknown = JSON.parse(kept?.envelope ?? '');
    const { result } = answerOf(answer) as { result: Comment };
    const { createdAt } = result;
    expect(event).toEqual({
      id: expect.stringMatching(/^evn_/),
      type: 'conversation.commented',
      occurredAt: createdAt,
      tenantId: caller.tenantId,
      apiVersion: 'v1',
      resource: { type: 'conversation', id: input.id },
      sequence: 1,
      actor: { type: 'key', id: caller.keyId },
      source: 'mcp',
      data: commented(input.id, result),
      previous: null,
    });
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
  });

  it('is recorded for the audit: who did what to what, when, by which request', async () => {
    const caller = keyCaller();
    const input = commentInput();
    const messageId = newId('req');
    await ledger.run(operation, commentAnd(), { caller, input, messageId });
    const records = await ledger.sql(
      `SELECT id, actor_type, actor_id, action, subject_id, request_id,
              now() - at < interval '1 minute' AS lately
       FROM audit_records WHERE tenant_id = $1`,
      [caller.tenantId],
    );
    expect(records).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        actor_type: 'key',
        actor_id: caller.keyId,
        action: 'conversations.comment',
        subject_id: input.id,
        request_id: `http-${messageId}`,
        lately: true,
      },
    ]);
  });

  it('names its subject itself where the input has no id, answers its own status and headers', async () => {
    const caller: MemberCaller = {
      type: 'member',
      tenantId: newId('ten'),
      source: 'app',
      memberId: newId('mbr'),
      email: 'ann@acme.test',
      name: 'Ann',
      role: 'admin',
      canApprove: true,
      sessionId: null,
    };
    const subject = newId('mbr');
    const handler = handlerOf(members.create, (context, { name, email, role, canApprove }) => {
      context.subject(subject);
      context.header('set-cookie', 'a=b');
      const createdAt = context.at.toISOString();
      const member = { id: subject, name, email, role, canApprove, createdAt, version: 1 };
      return Promise.resolve({ member: { ...member, active: true } });
    });
    const answer = await ledger.run(members.create, handler, {
      caller,
      input: { email: 'bob@acme.test', name: 'Bob' },
    });
    expect(answer).toMatchObject({ status: 201, problem: null, headers: { 'set-cookie': 'a=b' } });
    // Omitted fields have their defaults.
    expect(answerOf(answer)).toMatchObject({ member: { role: 'member', canApprove: false } });
    expect(
      await ledger.sql(
        'SELECT actor_type, actor_id, subject_id FROM audit_records WHERE tenant_id = $1',
        [caller.tenantId],
      ),
    ).toEqual([{ actor_type: 'member', actor_id: caller.memberId, subject_id: subject }]);
  });

  it('that throws after it has emitted leaves nothing', async () => {
    const caller = keyCaller();
    const handler = commentAnd(() => {
      throw new Problem('VERSION_CONFLICT');
    });
    const answer = await ledger.run(operation, handler, { caller, key: 'a key of mine' });
    expect(answer).toMatchObject({ status: 409, problem: 'VERSION_CONFLICT', headers: {} });
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toEqual([]);
  });

  it('whose event cannot be kept leaves nothing: of a resource, each number is given once', async () => {
    const caller = keyCaller();
    const input = commentInput();
    const twice = commentAnd((context) => {
      const resource = { type: 'conversation', id: input.id } as const;
      const data = commented(input.id);
      context.emit({ type: 'conversation.commented', resource, sequence: 1, data });
    });
    const call = { caller, input, key: 'a key of mine' };
    expect(await ledger.run(operation, twice, call)).toMatchObject(internal);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toMatchObject([{ err: { code: '23505' } }]);
    // Nothing came of it, so the key is still free.
    expect(await ledger.run(operation, commentAnd(), call)).toMatchObject({
      status: 200,
      headers: {},
    });
    const skipped = handlerOf(operation, async (context, asked) => {
      await context.rows(skipBack, [asked.id]);
      return comment(context, asked);
    });
    expect(await ledger.run(operation, skipped, { caller, input })).toMatchObject(internal);
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, events: 1 });
  });

  it('that cannot be audited, or whose answer cannot be kept, leaves nothing', async () => {
    const caller = keyCaller();
    const nul = commentAnd((context) => {
      context.subject('a NUL \u0000, which PostgreSQL cannot keep');
    });
    expect(await ledger.run(operation, nul, { caller })).toMatchObject(internal);
    const endless = handlerOf(operation, async (context, input) => {
      const answer = await comment(context, input);
      return Object.assign(answer, { answer });
    });
    expect(await ledger.run(operation, endless, { caller })).toMatchObject(internal);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toHaveLength(2);
  });

  it('keeps an event with a text that PostgreSQL cannot unescape', async () => {
    const caller = keyCaller();
    const input = { ...commentInput(), text: 'NUL \u0000, half an emoji \ud83d' };
    expect(await ledger.run(operation, commentAnd(), { caller, input })).toMatchObject({
      status: 200,
    });
    const [kept] = await ledger.sql<{ envelope: string }>(
      'SELECT envelope FROM outbox WHERE tenant_id = $1',
      [caller.tenantId],
    );
    expect(JSON.parse(kept?.envelope ?? '')).toMatchObject({
      data: { comment: { text: input.text } },
    });
  });

  it('is given an instance of its input', async () => {
    let given: unknown;
    const handler = handlerOf(operation, (context, input) => {
      given = input;
      return comment(context, input);
    });
    const input = commentInput();
    await ledger.run(operation, handler, { input: { ...input, invented: true } });
    expect(given).toBeInstanceOf(CommentOnConversation);
    expect({ ...(given as object) }).toEqual(input);
  });
});

const skipBack = statement<object>(
  'spec.skip_back',
  'UPDATE counters SET value = value - 1 WHERE tenant_id = $1 AND id = $2',
);
const countOf = statement<{ value: number }>(
  'spec.count',
  'SELECT value FROM counters WHERE tenant_id = $1',
);
const forgetful = statement<{ value: number }>(
  'spec.forgetful',
  'UPDATE counters SET value = value + 10 WHERE $1 <> $2 RETURNING value',
);
const lookAround = statement<{ id: string }>(
  'spec.look_around',
  `SELECT id FROM counters WHERE $1 = $1 UNION ALL SELECT dedupe_key FROM replies
   UNION ALL SELECT resource FROM outbox UNION ALL SELECT id FROM audit_records`,
);
const plant = statement<object>(
  'spec.plant',
  `INSERT INTO counters SELECT $2, 'planted', 1 WHERE $1 <> ''`,
);

describe('a read', () => {
  const page = (token: string | null) => ({
    mailbox: 'support@acme.test',
    conversations: [],
    nextPageToken: token,
  });

  it('leaves nothing behind, with or without a key', async () => {
    const caller = keyCaller();
    const handler = handlerOf(conversations.list, () => Promise.resolve(page(null)));
    const answer = await ledger.run(conversations.list, handler, { caller, key: 'a key of mine' });
    expect(answer).toMatchObject({ status: 200, problem: null, headers: {} });
    expect(answerOf(answer)).toEqual(page(null));
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('may answer a file: its bytes as they are, under its own headers', async () => {
    const bytes = randomBytes(100);
    const headers = { 'content-type': 'image/png' };
    const handler = handlerOf(attachments.get, () =>
      Promise.resolve(new FileAnswer(bytes, headers)),
    );
    const answer = await ledger.run(attachments.get, handler);
    expect(answer).toMatchObject({ status: 200, problem: null, headers });
    expect(answer.body.equals(bytes)).toBe(true);
  });

  it('is what an intake is too: it holds no transaction, and records what it says itself', async () => {
    const caller = keyCaller();
    const progress = { done: 1, imported: 1, duplicates: 0, unparsed: 0 };
    let begun = '';
    const handler = handlerOf(importSteps.take, (context) => {
      begun = 'manager' in context ? 'in a transaction' : 'in none';
      return Promise.resolve(progress);
    });
    const answer = await ledger.run(importSteps.take, handler, { caller });
    expect([answerOf(answer), begun]).toEqual([progress, 'in none']);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('has the tenant in front of its values, and entities under its tenant alone', async () => {
    const caller = keyCaller();
    const input = commentInput();
    await ledger.run(operation, commentAnd(), { caller, input });
    await ledger.run(operation, commentAnd(), {});
    const seen: unknown[] = [];
    const echo = statement<{ tenant: string; value: string }>(
      'spec.echo',
      'SELECT $1::text AS tenant, $2::text AS value',
    );
    const handler = handlerOf(conversations.list, async ({ rows, entities }) => {
      seen.push(...(await rows(echo, ['v'])));
      seen.push(...(await entities((manager) => manager.find(CounterEntity))));
      return page(null);
    });
    await ledger.run(conversations.list, handler, { caller });
    const { tenantId } = caller;
    expect(seen).toEqual([
      { tenant: tenantId, value: 'v' },
      { tenantId, id: input.id, value: 1 },
    ]);
  });

  it('sees no row outside a transaction: the policy has no tenant there', async () => {
    const caller = keyCaller();
    await ledger.run(operation, commentAnd(), { caller });
    let seen: object[] = [];
    const handler = handlerOf(conversations.list, async ({ rows }) => {
      seen = await rows(countOf, []);
      return page(null);
    });
    await ledger.run(conversations.list, handler, { caller });
    expect(seen).toEqual([]);
  });
});

describe('a handler that forgets the tenant', () => {
  it('changes and sees the rows of its caller alone', async () => {
    const [mine, theirs] = [keyCaller(), keyCaller()];
    const input = commentInput();
    await ledger.run(operation, commentAnd(), { caller: mine, input });
    await ledger.run(operation, commentAnd(), { caller: theirs, input });
    let [changed, seen]: object[][] = [[], []];
    const handler = commentAnd(async ({ rows, manager }) => {
      changed = await rows(forgetful, ['']);
      seen = [...(await manager.find(CounterEntity)), ...(await rows(lookAround, []))];
    });
    await ledger.run(operation, handler, { caller: mine, input: commentInput({ id: input.id }) });
    expect(changed).toEqual([{ value: 12 }]);
    // The counter twice, and of the call before its reply, its event and its audit record.
    expect(seen).toHaveLength(5);
    expect(await ledger.holdings(theirs.tenantId)).toMatchObject({ effects: 1 });
  });

  it('cannot write under another tenant', async () => {
    const [mine, theirs] = [keyCaller(), keyCaller()];
    const handler = commentAnd(({ rows }) => rows(plant, [theirs.tenantId]));
    expect(await ledger.run(operation, handler, { caller: mine })).toMatchObject(internal);
    expect(await ledger.holdings(theirs.tenantId)).toEqual(nothing);
    expect(await ledger.holdings(mine.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toMatchObject([{ err: { code: '42501' } }]);
  });

  it('leaves no tenant behind on its connection', async () => {
    await ledger.run(operation, commentAnd());
    const setting = statement<{ tenant: string }>(
      'spec.setting',
      `SELECT current_setting('postroom.tenant', true) AS tenant`,
    );
    for (let i = 0; i < 5; i += 1) {
      const [left] = await ledger.database.rows(setting, []);
      expect(left?.tenant || null).toBeNull();
    }
  });
});

describe('a preview', () => {
  it('answers what the write would change, and leaves and claims nothing', async () => {
    const caller = keyCaller();
    const call = { caller, input: commentInput(), key: 'a key of mine' };
    const preview = await ledger.run(operation, commentAnd(), { ...call, preview: true });
    expect(preview).toMatchObject({ status: 200, problem: null, headers: {} });
    expect(answerOf(preview)).toMatchObject({
      target: null,
      difference: { before: null, after: { ok: true, id: call.input.id } },
    });
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('of a write that was done is its answer, and is said to be one', async () => {
    const caller = keyCaller();
    const call = { caller, input: commentInput(), key: 'a key of mine' };
    const real = await ledger.run(operation, commentAnd(), call);
    const again = await ledger.run(operation, commentAnd(), { ...call, preview: true });
    expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': 'hit' } });
    expect(again.body.equals(real.body)).toBe(true);
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, replies: 1 });
  });

  it('sees what was written, and is refused as the write would be', async () => {
    const caller = keyCaller();
    const input = commentInput();
    await ledger.run(operation, commentAnd(), { caller, input });
    let count = 0;
    const handler = commentAnd(async (context) => {
      count = await bump(context, input.id);
      throw new Problem('CONVERSATION_NOT_FOUND');
    });
    const preview = await ledger.run(operation, handler, { caller, input, preview: true });
    expect(preview).toMatchObject({ status: 404, problem: 'CONVERSATION_NOT_FOUND' });
    expect(count).toBe(3);
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1 });
  });
});

describe('a write of an agent that has to wait', () => {
  const agent = (decision?: Decision) =>
    keyCaller({ kind: 'agent', approval: 'required', ...(decision && { decision }) });

  it('is not done without a decision, and is a fault that is logged once', async () => {
    const caller = agent();
    const call = { caller, input: commentInput(), key: 'a key of mine' };
    expect(await ledger.run(operation, commentAnd(), call)).toMatchObject(internal);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toMatchObject([{ err: { message: /without an approval/ } }]);
  });

  it('is done for a decision, and looked at in advance without one', async () => {
    const seen = { caller: agent(), input: commentInput(), preview: true };
    expect(await ledger.run(operation, commentAnd(), seen)).toMatchObject({ status: 200 });
    const decision = { approvalId: newId('apr'), memberId: newId('mbr'), version: null };
    const caller = agent(decision);
    const done = { caller, input: commentInput(), key: 'a key of mine' };
    expect(await ledger.run(operation, commentAnd(), done)).toMatchObject({ status: 200 });
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1 });
  });
});

describe('a refusal', () => {
  it('names the fields at fault, and carries its headers', async () => {
    const handler = commentAnd(() => {
      throw invalidField('text', 'trop long', 'too long');
    });
    const answer = await ledger.run(operation, handler);
    expect(answer).toMatchObject({ status: 400, problem: 'INVALID_REQUEST' });
    expect(answerOf(answer)).toEqual({
      violations: [
        { field: 'text', fault: 'MALFORMED', message: { fr: 'trop long', en: 'too long' } },
      ],
    });
    const retry = commentAnd((context) => {
      context.header('x-of-success', 'not now');
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': '3' } });
    });
    expect((await ledger.run(operation, retry)).headers).toEqual({ 'retry-after': '3' });
    expect(ledger.logged()).toEqual([]);
  });
});

describe('a fault', () => {
  it.each([
    ['an error', new Error('secret of the database')],
    ['an error of the driver', Object.assign(new Error('secret'), { code: '42703' })],
    ['a text', 'secret'],
    ['nothing', undefined],
  ])('is INTERNAL without a detail, and logged once: %s', async (_what, thrown) => {
    const caller = keyCaller();
    const messageId = newId('req');
    const handler = commentAnd(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- as a library might
      throw thrown;
    });
    const answer = await ledger.run(operation, handler, { caller, messageId });
    expect(answer).toMatchObject({ ...internal, id: messageId });
    expect(answer.body.toString()).toBe('{"violations":[]}');
    expect(ledger.logged()).toMatchObject([
      {
        level: 'error',
        operation: 'conversations.comment',
        requestId: `http-${messageId}`,
        msg: 'operation failed',
      },
    ]);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('of a read is one too', async () => {
    const handler = handlerOf(conversations.get, () => Promise.reject(new Error('secret')));
    expect(await ledger.run(conversations.get, handler)).toMatchObject(internal);
    expect(ledger.logged()).toHaveLength(1);
  });
});

describe('a request', () => {
  const ran: unknown[] = [];
  const handler = commentAnd(() => ran.push('ran'));
  beforeEach(() => {
    ran.length = 0;
  });

  it.each([0, 1, 60_000])(
    'whose deadline passed %i ms ago is not run: nobody waits for it',
    async (late) => {
      const caller = keyCaller();
      const answer = await ledger.run(operation, handler, {
        caller,
        deadlineMs: Date.now() - late,
      });
      expect(answer).toMatchObject({ status: 503, problem: 'SERVICE_UNAVAILABLE' });
      expect(ran).toEqual([]);
      expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
      expect(ledger.logged()).toEqual([]);
    },
  );

  it('for an operation that is not in the table is not run', async () => {
    const request = ledger.request({ ...operation, id: 'conversations.eat' });
    const answer = await ledger.engine.handleRequest(request, handler);
    expect(answer).toMatchObject({ status: 503, problem: 'SERVICE_UNAVAILABLE' });
    const unsigned = { ...request, signature: ledger.request(operation).signature };
    await expect(ledger.engine.handleRequest(unsigned, handler)).rejects.toThrow(UnverifiedRecord);
    expect(ran).toEqual([]);
  });

  const genuine = () => ledger.request(operation, { caller: keyCaller(), input: commentInput() });
  const resigned = (request: RequestEnvelope): RequestEnvelope => ({
    ...request,
    signature: signCaller(callerKey(randomBytes(32)), request),
  });

  it.each<[string, (request: RequestEnvelope) => RequestEnvelope]>([
    ['another caller', (request) => ({ ...request, caller: JSON.stringify(keyCaller()) })],
    ['its caller spelled otherwise', (request) => ({ ...request, caller: `${request.caller} ` })],
    ['another input', (request) => ({ ...request, input: Buffer.from('{"text":"forged"}') })],
    ['no input', (request) => ({ ...request, input: Buffer.alloc(0) })],
    ['another operation', (request) => ({ ...request, operation: 'conversations.archive' })],
    ['a later deadline', (request) => ({ ...request, deadlineMs: request.deadlineMs + 1 })],
    ['another Idempotency-Key', (request) => ({ ...request, idempotencyKey: 'another-key' })],
    ['a preview that became a write', (request) => ({ ...request, preview: !request.preview })],
    ['another reader of its reply', (request) => ({ ...request, replyTo: 'postroom.replies.two' })],
    ['another message id', (request) => ({ ...request, id: newId('req') })],
    ['no signature', (request) => ({ ...request, signature: '' })],
    ['a signature cut short', (request) => ({ ...request, signature: request.signature.slice(1) })],
    ["the signature of another service's key", resigned],
    [
      'the signature of another request',
      (request) => ({ ...request, signature: genuine().signature }),
    ],
  ])('with %s is not run, left to the bus, and logged once', async (_what, forge) => {
    const request = forge(genuine());
    await expect(ledger.engine.handleRequest(request, handler)).rejects.toThrow(UnverifiedRecord);
    expect(ran).toEqual([]);
    expect(ledger.logged()).toMatchObject([
      { level: 'error', err: { message: /the gateway did not sign/ } },
    ]);
    const { tenantId } = JSON.parse(request.caller) as { tenantId: string };
    expect(await ledger.holdings(tenantId)).toEqual(nothing);
  });

  it('that is genuine is run', async () => {
    expect(await ledger.engine.handleRequest(genuine(), handler)).toMatchObject({ status: 200 });
    expect(ran).toEqual(['ran']);
  });
});

describe('a send', () => {
  const input = { mailbox: 'support@acme.test' };
  const receipt: SendReceipt = {
    ...{ id: 'msg_1', threadId: 'cnv_1', accepted: [], rejected: [], providerMessageId: null },
    ...{ receiptSource: 'smtp', dlpStatus: 'ok' },
  };

  it('is run with its key, its message and its deadline, and claims nothing', async () => {
    const caller = keyCaller();
    const messageId = newId('req');
    const seen: unknown[] = [];
    const handler = handlerOf(sends.create, (context) => {
      seen.push([context.operation, context.messageId, context.idempotencyKey, context.deadlineMs]);
      context.header('x-svc-idempotency', 'hit');
      return Promise.resolve(receipt);
    });
    const call = { caller, input, key: 'a key of mine', messageId, deadlineMs: Date.now() + 5_000 };
    for (let i = 0; i < 2; i++) {
      const answer = await ledger.run(sends.create, handler, call);
      expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': 'hit' } });
      expect(answerOf(answer)).toEqual(receipt);
    }
    const once = ['sends.create', messageId, 'a key of mine', call.deadlineMs];
    expect(seen).toEqual([once, once]);
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('is never run without a key, nor to be rolled back', async () => {
    const handler = handlerOf(sends.create, () => Promise.reject(new Error('it was run')));
    for (const call of [{ input }, { input, key: 'a key of mine', preview: true }]) {
      expect(await ledger.run(sends.create, handler, call)).toMatchObject(internal);
    }
    expect(JSON.stringify(ledger.logged())).not.toContain('it was run');
  });

  it('says in a refusal what its problem says', async () => {
    const fields = { duplicate: true, outcomeUnknown: false };
    const handler = handlerOf(sends.create, () =>
      Promise.reject(new Problem('SEND_DUPLICATE', { fields })),
    );
    const answer = await ledger.run(sends.create, handler, { input, key: 'a key of mine' });
    expect(answerOf(answer)).toEqual({ violations: [], fields });
  });
});
