import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import type { PublicApi } from './public-api.js';
import { withoutRequest } from './sameness.js';
import { conversationOf, type ConversationItem, errorOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const malformed = '{ "mailbox": ';

const parsed = ({ text }: Answer): unknown => JSON.parse(text);

describe('authorization', () => {
  let place: Workplace;
  let mailbox: string;
  let notGranted: string;
  let unknown: string;
  let foreign: string;
  let full: OwnKey;
  let reader: OwnKey;
  let conversation: ConversationItem;

  const at = (action = ''): string => `/v1/conversations/${conversation.id}${action}`;
  const newKey = (): string => `e2e-${randomUUID()}`;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    notGranted = await place.mailbox();
    unknown = `nobody-${randomUUID()}@acme.test`;
    foreign = await (await Workplace.open('globex')).mailbox();
    full = await place.keyFor(mailbox);
    reader = await place.key({
      scopes: ['read:conversations', 'write:conversations'],
      mailboxes: [{ address: mailbox, access: 'read' }],
    });
    conversation = await place.receive(full, mailbox);
  });

  describe('scope', () => {
    it('is read:conversations alone for a key made without scopes', async () => {
      const key = await place.keyFor(mailbox, { scopes: undefined });
      expect((await key.get('/v1/conversations', { mailbox })).status).toBe(200);
      expect((await key.post(at('/archive'), { mailbox })).status).toBe(403);
    });

    it('to write does not imply the one to read', async () => {
      const key = await place.keyFor(mailbox, { scopes: ['write:conversations'] });
      expect((await key.get('/v1/conversations', { mailbox })).status).toBe(403);
      expect((await key.get(at(), { mailbox })).status).toBe(403);
      expect((await key.post(at('/archive'), { mailbox })).status).toBe(200);
      expect((await key.post(at('/reopen'), { mailbox })).status).toBe(200);
    });

    it.each(['/archive', '/reopen', '/comment'])('to read does not allow %s', async (action) => {
      const key = await place.keyFor(mailbox, { scopes: ['read:conversations'] });
      const answer = await key.post(at(action), { mailbox, text: 'x' }, newKey());
      expect(answer.status).toBe(403);
      expect(Object.keys(errorOf(answer)).sort()).toEqual(['error', 'requestId']);
    });
  });

  describe('mailbox', () => {
    it.each([
      ['GET', '', undefined],
      ['POST', '/archive', {}],
      ['POST', '/reopen', {}],
      ['POST', '/comment', { text: 'x' }],
    ])(
      'not granted, unknown and of another workspace is refused alike: %s %s',
      async (method, action, body) => {
        const ask = (address: string): ReturnType<PublicApi['get']> =>
          method === 'GET'
            ? full.get(at(action), { mailbox: address })
            : full.post(at(action), { ...body, mailbox: address }, newKey());
        const answers = [await ask(notGranted), await ask(unknown), await ask(foreign)];
        expect(answers[0]?.status).toBe(403);
        const [first, ...others] = answers.map(withoutRequest);
        for (const one of others) expect(one).toEqual(first);
      },
    );

    it('not granted, unknown and of another workspace is refused alike by the list', async () => {
      const answers = [];
      for (const address of [notGranted, unknown, foreign, 'x@unheard-of.example']) {
        answers.push(await full.get('/v1/conversations', { mailbox: address }));
      }
      expect(answers[0]?.status).toBe(403);
      const [first, ...others] = answers.map(withoutRequest);
      for (const one of others) expect(one).toEqual(first);
    });

    it('granted for reading lets read and refuses each write', async () => {
      expect((await reader.get('/v1/conversations', { mailbox })).status).toBe(200);
      const before = conversationOf(await reader.get(at(), { mailbox }));
      for (const action of ['/archive', '/reopen', '/comment']) {
        const body = { mailbox, ...(action === '/comment' && { text: 'x' }) };
        expect((await reader.post(at(action), body, newKey())).status).toBe(403);
      }
      expect(conversationOf(await full.get(at(), { mailbox }))).toEqual(before);
    });
  });

  describe('order of the checks', () => {
    it('puts the read-only grant before the replay', async () => {
      const key = await place.keyFor(mailbox);
      const idempotencyKey = newKey();
      const body = { mailbox, text: 'Before the grant was cut.' };
      expect((await key.post(at('/comment'), body, idempotencyKey)).status).toBe(200);
      const mailboxes = [{ address: mailbox, access: 'read' }];
      expect((await place.settings.patch(`/keys/${key.id}`, { mailboxes })).status).toBe(200);
      expect((await key.post(at('/comment'), body, idempotencyKey)).status).toBe(403);
    });
  });

  describe('an agent key', () => {
    it('with approval none writes directly', async () => {
      const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'none' });
      const answer = await agent.post(
        at('/comment'),
        { mailbox, text: 'From an agent.' },
        newKey(),
      );
      expect(answer.status).toBe(200);
    });

    describe('that needs approval', () => {
      let agent: OwnKey;

      beforeAll(async () => {
        agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required' });
      });

      it('reads as any other', async () => {
        expect((await agent.get(at(), { mailbox })).status).toBe(200);
      });

      it.each(['/archive', '/reopen', '/comment'])(
        'needs an Idempotency-Key to write: %s',
        async (action) => {
          expect((await agent.post(at(action), { mailbox, text: 'x' })).status).toBe(400);
          expect((await agent.request('POST', at(action), malformed)).status).toBe(400);
        },
      );

      it.each(['/archive', '/reopen', '/comment'])(
        'has its write filed, once, and nothing is written: %s',
        async (action) => {
          const before = conversationOf(await full.get(at(), { mailbox }));
          const body = { mailbox, ...(action === '/comment' && { text: 'From an agent.' }) };
          const key = newKey();
          const filed = await agent.post(at(action), body, key);
          const again = await agent.post(at(action), body, key);
          expect([filed.status, again.status]).toEqual([202, 202]);
          expect(parsed(filed)).toMatchObject({
            approvalRequired: true,
            approval: { state: 'pending', channel: 'rest', target: { id: before.id } },
          });
          expect(parsed(again)).toEqual(parsed(filed));
          expect(again.headers['x-svc-idempotency']).toBe('hit');
          expect(conversationOf(await full.get(at(), { mailbox }))).toEqual(before);
        },
      );

      it('is told first what is wrong with the request', async () => {
        const key = newKey();
        expect((await agent.post(at('/comment'), { mailbox }, key)).status).toBe(400);
        const elsewhere = { mailbox: notGranted, text: 'x' };
        expect((await agent.post(at('/comment'), elsewhere, key)).status).toBe(403);
        const poor = await place.key({
          kind: 'agent',
          approval: 'required',
          mailboxes: [{ address: mailbox, access: 'read' }],
        });
        expect((await poor.post(at('/archive'), { mailbox }, key)).status).toBe(403);
      });
    });
  });
});
