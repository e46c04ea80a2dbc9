import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';

describe('a list that is never in pages', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  }, 60_000);

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
  ])('takes no page token, for it gives none: %s', async (path) => {
    for (const token of ['', 'x', 'x'.repeat(40)]) {
      const answer = await get(`${path}?pageToken=${token}`);
      expect([answer.status, bodyOf(answer)]).toEqual([
        400,
        expect.objectContaining({
          error: 'INVALID_REQUEST',
          details: [{ field: 'pageToken', message: expect.any(String) }],
        }),
      ]);
    }
  });

  it.each(['/members', '/teams', '/keys'])('is answered without one: %s', async (path) => {
    expect((await get(path)).status).toBe(200);
  });
});
