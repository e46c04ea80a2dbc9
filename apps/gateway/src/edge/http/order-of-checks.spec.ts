import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, problemFacts, type ProblemCode } from '@postroom/contracts';
import { Gateway, type SomeRights, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Ask } from '../../testing/http.js';

const limit = 3;
const comment = `/v1/conversations/${newId('cnv')}/comment`;
const mailbox = 'support@acme.test';
const idempotent = { 'idempotency-key': 'a-good-key' };
const sound = { mailbox, text: 'Hello' };

/** A request and a key that fail the two steps named, and the answer: that of the earlier. */
interface Case {
  readonly fails: string;
  readonly answers: ProblemCode;
  readonly rights?: SomeRights;
  /** The key is attached to a member. */
  readonly identified?: true;
  readonly path?: string;
  readonly ask?: Ask;
}

const writes: SomeRights = { scopes: ['write:conversations'], grants: { [mailbox]: 'write' } };
const waits: SomeRights = { ...writes, kind: 'agent', approval: 'required' };

const snooze = `/v1/conversations/${newId('cnv')}/snooze`;
const passed = '2020-01-01T00:00:00Z';

const cases: readonly Case[] = [
  {
    fails: 'key, path',
    answers: 'UNAUTHENTICATED',
    rights: { revokedAt: new Date() },
    path: '/v1/nothing',
  },
  {
    fails: 'path, scope',
    answers: 'ROUTE_NOT_FOUND',
    rights: { scopes: [] },
    path: '/v1/nothing',
  },
  {
    fails: 'method, scope',
    answers: 'ROUTE_NOT_FOUND',
    rights: { scopes: [] },
    ask: { method: 'PUT' },
  },
  {
    fails: 'scope, Idempotency-Key missing',
    answers: 'SCOPE_MISSING',
    rights: { grants: { [mailbox]: 'write' } },
    ask: { method: 'POST', body: sound },
  },
  {
    fails: 'member, body',
    answers: 'MEMBER_IDENTITY_INCOMPLETE',
    rights: writes,
    path: snooze,
    ask: { method: 'POST', body: '{' },
  },
  {
    fails: 'Idempotency-Key missing, body',
    answers: 'IDEMPOTENCY_KEY_REQUIRED',
    rights: writes,
    ask: { method: 'POST', body: '{' },
  },
  {
    fails: 'Idempotency-Key malformed, body',
    answers: 'IDEMPOTENCY_KEY_MALFORMED',
    rights: writes,
    ask: { method: 'POST', headers: { 'idempotency-key': 'é'.repeat(8) }, body: '{' },
  },
  {
    fails: 'body, mailbox',
    answers: 'INVALID_REQUEST',
    rights: { ...writes, grants: {} },
    ask: { method: 'POST', headers: idempotent, body: { mailbox } },
  },
  {
    fails: 'page token, mailbox',
    answers: 'INVALID_REQUEST',
    rights: { grants: {} },
    path: `/v1/conversations?mailbox=${mailbox}&pageToken=nonsense`,
  },
  {
    fails: 'body too large, mailbox',
    answers: 'BODY_TOO_LARGE',
    rights: { ...writes, grants: {} },
    ask: { method: 'POST', headers: idempotent, body: ' '.repeat(2 ** 20 + 1) },
  },
  {
    fails: 'mailbox, approval',
    answers: 'MAILBOX_FORBIDDEN',
    rights: { ...waits, grants: { 'sales@acme.test': 'write' } },
    ask: { method: 'POST', headers: idempotent, body: sound },
  },
  {
    fails: 'mailbox read-only, approval',
    answers: 'MAILBOX_READ_ONLY',
    rights: { ...waits, grants: { [mailbox]: 'read' } },
    ask: { method: 'POST', headers: idempotent, body: sound },
  },
  {
    fails: 'mailbox, a time that has passed',
    answers: 'MAILBOX_FORBIDDEN',
    rights: { ...waits, grants: {} },
    identified: true,
    path: snooze,
    ask: { method: 'POST', headers: idempotent, body: { mailbox, until: passed } },
  },
];

describe('the checks of a public route', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start({ RATE_LIMIT_PER_MINUTE: String(limit) });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(() => {
    gateway.mail.calls.length = 0;
    gateway.mail.answer = () => ({
      status: 404,
      problem: 'CONVERSATION_NOT_FOUND',
      body: { violations: [] },
    });
  });

  it.each(cases)(
    'answer $answers to what fails: $fails',
    async ({ answers, rights, identified, path = comment, ask }) => {
      const member = identified && { member: workspace.admin };
      const key = await gateway.key(workspace, { ...rights, ...member });
      const answer = await gateway.ask(key, path, ask);
      expect(answer.status).toBe(problemFacts(answers).status);
      expect(bodyOf(answer).error).toContain(problemFacts(answers).fr);
      expect(gateway.mail.calls).toEqual([]);
    },
  );

  it('leave what waits for approval to its service, which looks at it in advance', async () => {
    const key = await gateway.key(workspace, waits);
    const ask = { method: 'POST', headers: idempotent, body: sound };
    expect((await gateway.ask(key, comment, ask)).status).toBe(404);
    expect(gateway.mail.calls).toMatchObject([{ request: { preview: true } }]);
  });

  describe('with the window of the key full', () => {
    const filled = async (rights?: SomeRights): Promise<string> => {
      const key = await gateway.key(workspace, rights);
      for (let i = 0; i < limit; i++) {
        expect((await gateway.ask(key, '/v1/nothing')).status).toBe(404);
      }
      return key;
    };

    it('answer 401 to a key that has been revoked', async () => {
      const key = await filled();
      await gateway.change('UPDATE keys SET revoked_at = now() WHERE tenant_id = $1', [
        workspace.id,
      ]);
      expect((await gateway.ask(key, '/v1/nothing')).status).toBe(401);
    });

    it('answer 429 before path, scope, Idempotency-Key and body', async () => {
      const key = await filled({ scopes: [] });
      for (const path of ['/v1/nothing', comment]) {
        const answer = await gateway.ask(key, path, { method: 'POST', body: '{' });
        expect(answer.status).toBe(429);
      }
    });
  });

  it('let the operation answer what passes all of them', async () => {
    const ask = { method: 'POST', headers: idempotent, body: sound };
    const answer = await gateway.ask(await gateway.key(workspace, writes), comment, ask);
    expect(answer.status).toBe(404);
    expect(bodyOf(answer).error).toBe(problemFacts('CONVERSATION_NOT_FOUND').fr);
    expect(gateway.mail.calls).toHaveLength(1);
  });
});
