import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { Pieces } from '@postroom/limits';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';

describe('the input of a request', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });

  afterAll(() => gateway.close());

  const get = (path: string): Promise<Answer> =>
    gateway.send(`/settings/api${path}`, { headers: { cookie: workspace.admin.cookie } });

  it.each([
    '/members',
    '/teams',
    '/mailboxes',
    '/keys',
    '/signatures',
    '/dlp-rules',
    `/mailboxes/${newId('mbx')}/imports`,
  ])('of a list that is never in pages has no page token: %s', async (path) => {
    for (const token of ['', 'x', 'x'.repeat(40)]) {
      const answer = await get(`${path}?pageToken=${token}`);
      expect([answer.status, bodyOf(answer)]).toEqual([
        400,
        expect.objectContaining({
          error: 'INVALID_REQUEST',
          details: [{ field: 'pageToken', code: 'MALFORMED', message: expect.any(String) }],
        }),
      ]);
    }
  });

  it('takes no query parameter that it does not have, where settings are read', async () => {
    const answer = await get('/members?role=admin');
    expect(bodyOf(answer)).toMatchObject({ details: [{ field: 'role', code: 'UNKNOWN_FIELD' }] });
  });

  it('tells a key which parameters were ignored, whatever the answer', async () => {
    const key = await gateway.key(workspace, { scopes: ['read:conversations'] });
    const ignored = async (path: string) => (await gateway.ask(key, path)).headers['x-svc-ignored'];
    expect(await ignored('/v1/me')).toBeUndefined();
    expect(await ignored('/v1/me?a=1&b%2C=2')).toBe('a, b%2C');
    expect(await ignored('/v1/conversations?mailbox=none@acme.test&state=open')).toBe('state');
  });

  it.each(['/members', '/teams', '/keys'])(
    'of a list is whole without a page token: %s',
    async (path) => {
      expect((await get(path)).status).toBe(200);
    },
  );

  it('that is long is read in turn with pieces of larger bodies, and a short one at once', async () => {
    const turns = jest.spyOn(Pieces.prototype, 'timed');
    const tryOut = async (characters: number): Promise<number> => {
      const text = 'x'.repeat(characters);
      return (await gateway.settings(workspace.admin, 'POST', '/dlp-rules/try', { text })).status;
    };
    expect([await tryOut(1_000), turns.mock.calls.length]).toEqual([200, 0]);
    expect(await tryOut(90_000)).toBe(200);
    const turn = { order: 0, bytes: 90_000 + '{"text":""}'.length };
    expect(turns.mock.calls.map(([whose, what]) => [whose, what])).toEqual([[workspace.id, turn]]);
    turns.mockRestore();
  });
});
