import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

describe('the send switch', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const get = async ({ admin }: SomeWorkspace): Promise<unknown> =>
    bodyOf(await gateway.settings(admin, 'GET', '/send-switch'));
  const set = (open: unknown): Promise<Answer> =>
    gateway.settings(workspace.admin, 'PUT', '/send-switch', { open });

  it('is open until it is closed, in its own workspace alone', async () => {
    const other = await gateway.workspace();
    expect(await get(workspace)).toEqual({ open: true });
    expect(bodyOf(await set(false))).toEqual({ open: false });
    expect(await get(workspace)).toEqual({ open: false });
    expect(await get(other)).toEqual({ open: true });
    expect(bodyOf(await set(true))).toEqual({ open: true });
    expect(await get(workspace)).toEqual({ open: true });
  });

  it.each([undefined, null, 'false', 0])('takes true or false, not %j', async (open) => {
    expect((await set(open)).status).toBe(400);
  });

  it('leaves an audit record of who changed it', async () => {
    await set(true);
    const records = await gateway.audit(workspace);
    expect(records.at(-1)).toMatchObject({ action: 'sendSwitch.set', actorId: workspace.admin.id });
  });
});
