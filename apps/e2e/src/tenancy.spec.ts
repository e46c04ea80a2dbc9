import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { deliver, newMessageId } from './mail.js';
import { strangerOf, withoutRequest } from './sameness.js';
import { conversationOf, type ConversationItem, itemsOf, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Every id of acme's, requested by globex. */
describe('another workspace', () => {
  let acme: Workplace;
  let globex: Workplace;
  let theirs: { mailbox: string; key: OwnKey; conversation: ConversationItem; token: string };
  let ours: { mailbox: string; key: OwnKey; conversation: ConversationItem };

  const newKey = (): string => `e2e-${randomUUID()}`;
  const unknownMailbox = `nobody-${randomUUID()}@globex.test`;

  const alike = (foreign: Answer, random: Answer, status: number): void => {
    expect(foreign.status).toBe(status);
    expect(withoutRequest(foreign)).toEqual(withoutRequest(random));
  };

  beforeAll(async () => {
    acme = await Workplace.open('acme');
    globex = await Workplace.open('globex');
    const [foreign, own] = [await acme.mailbox(), await globex.mailbox()];
    const key = await acme.keyFor(foreign);
    const conversation = await acme.receive(key, foreign);
    await acme.receive(key, foreign);
    const { nextPageToken } = pageOf(
      await key.get('/v1/conversations', { mailbox: foreign, limit: 1 }),
    );
    theirs = { mailbox: foreign, key, conversation, token: nextPageToken ?? '' };
    const ownKey = await globex.keyFor(own);
    ours = { mailbox: own, key: ownKey, conversation: await globex.receive(ownKey, own) };
  });

  describe('of the public API', () => {
    it('has mailboxes that are refused as unknown ones, by the list', async () => {
      alike(
        await ours.key.get('/v1/conversations', { mailbox: theirs.mailbox }),
        await ours.key.get('/v1/conversations', { mailbox: unknownMailbox }),
        403,
      );
    });

    it('has page tokens that are refused as random ones', async () => {
      const random = Buffer.from(randomUUID().repeat(20)).toString('base64url');
      const ask = (pageToken: string): Promise<Answer> =>
        ours.key.get('/v1/conversations', { mailbox: ours.mailbox, pageToken });
      alike(await ask(theirs.token), await ask(random.slice(0, theirs.token.length)), 400);
    });

    it.each(['', '/archive', '/reopen', '/comment'])(
      'has conversations that are unknown to us: %s',
      async (action) => {
        const ask = (id: string, mailbox: string): Promise<Answer> => {
          const path = `/v1/conversations/${id}${action}`;
          const body = { mailbox, ...(action === '/comment' && { text: 'x' }) };
          return action === ''
            ? ours.key.get(path, { mailbox })
            : ours.key.post(path, body, newKey());
        };
        const { id } = theirs.conversation;
        alike(await ask(id, ours.mailbox), await ask(strangerOf(id), ours.mailbox), 404);
        alike(await ask(id, theirs.mailbox), await ask(strangerOf(id), unknownMailbox), 403);
        const before = theirs.conversation;
        const path = `/v1/conversations/${id}`;
        const after = conversationOf(await theirs.key.get(path, { mailbox: theirs.mailbox }));
        expect(after).toMatchObject({ version: before.version, commentCount: 0 });
      },
    );
  });

  describe('of the settings', () => {
    it('has members, mailboxes and keys that are in no list of ours', async () => {
      const [mine, others] = await Promise.all(
        [globex, acme].map(async ({ settings }) => {
          const lists = ['/members', '/mailboxes', '/domains', '/keys', '/teams'].map((path) =>
            settings.get(path),
          );
          return (await Promise.all(lists)).flatMap((list) => itemsOf(list).map(({ id }) => id));
        }),
      );
      expect(mine?.length).toBeGreaterThan(5);
      expect(others?.length).toBeGreaterThan(5);
      expect(mine?.filter((id) => others?.includes(id))).toEqual([]);
    });
  });

  it('threads no message of ours, though it may be an answer to theirs', async () => {
    const messageId = newMessageId();
    const original = await acme.receive(theirs.key, theirs.mailbox, { messageId });
    const answer = await globex.receive(ours.key, ours.mailbox, {
      inReplyTo: messageId,
      references: [messageId],
    });
    expect(answer).toMatchObject({ mailbox: ours.mailbox, messageCount: 1 });
    const path = `/v1/conversations/${original.id}`;
    const after = conversationOf(await theirs.key.get(path, { mailbox: theirs.mailbox }));
    expect(after.messageCount).toBe(1);
  });

  it('gets its own copy of a message to both', async () => {
    const subject = `To both ${randomUUID()}`;
    await deliver(acme.product, { to: [theirs.mailbox, ours.mailbox], subject });
    const wanted = (item: ConversationItem): boolean => item.subject === subject;
    const one = await acme.listed(theirs.key, theirs.mailbox, wanted);
    const other = await globex.listed(ours.key, ours.mailbox, wanted);
    expect(one.id).not.toBe(other.id);
  });
});
