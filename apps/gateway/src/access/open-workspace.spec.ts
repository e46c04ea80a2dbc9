import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Database } from '@postroom/persistence';
import { openWorkspace, workspaceId } from './open-workspace.js';
import { Gateway } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

const password = 'correct horse battery staple';

describe('openWorkspace', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());

  const open = (name: string, adminEmail: string): Promise<string> =>
    openWorkspace(gateway.app.get(Database), { name, adminEmail, adminName: 'Ada' });
  const accept = (token: string): Promise<Answer> =>
    gateway.send('/settings/api/invitations/accept', { method: 'POST', body: { token, password } });
  const workspaceOf = (answer: Answer): unknown => bodyOf(answer)['tenant'];
  const fresh = (): string => `workspace-${randomUUID()}`;

  it('makes a workspace, whose first administrator comes in by a link that opens once', async () => {
    const name = fresh();
    const token = await open(name, 'Ada@Acme.Test');
    const accepted = await accept(token);
    expect(accepted.status).toBe(200);
    expect(bodyOf(accepted)).toEqual({
      member: expect.objectContaining({ email: 'ada@acme.test', role: 'admin', canApprove: true }),
      tenant: { id: await workspaceId(gateway.app.get(Database), name), name },
    });
    expect((await accept(token)).status).toBe(404);
  });

  it('finds the workspace again, and makes a link in place of the one before', async () => {
    const name = fresh();
    const first = await open(name, 'ada@acme.test');
    const second = await open(name, 'ADA@acme.test');
    expect((await accept(first)).status).toBe(404);
    const accepted = await accept(second);
    expect(workspaceOf(accepted)).toEqual({
      id: await workspaceId(gateway.app.get(Database), name),
      name,
    });
  });

  it('invites nobody into a workspace who is no active administrator of it', async () => {
    const name = fresh();
    const tenantId = bodyOf(await accept(await open(name, 'ada@acme.test')))['tenant'] as {
      id: string;
    };
    const { email } = await gateway.member(tenantId);
    const idle = await gateway.member(tenantId, 'admin');
    await gateway.rows('UPDATE members SET active = false WHERE id = $1', [idle.id]);
    for (const address of [email, idle.email, 'nobody@acme.test']) {
      await expect(open(name, address)).rejects.toThrow(`no active administrator ${address}`);
    }
  });

  it('opens one of a name once, whatever comes at once', async () => {
    const name = fresh();
    await Promise.allSettled([1, 2, 3].map(() => open(name, 'ada@acme.test')));
    expect(await gateway.rows('SELECT FROM tenants WHERE name = $1', [name])).toHaveLength(1);
  });

  it('leaves an audit record in the workspace', async () => {
    const name = fresh();
    await open(name, 'ada@acme.test');
    await open(name, 'ada@acme.test');
    const id = (await workspaceId(gateway.app.get(Database), name)) ?? '';
    const actions = (await gateway.audit({ id })).map(({ action }) => action);
    expect(actions).toEqual(['workspace.create', 'workspace.invite']);
  });

  it('knows no workspace of a name that nobody has', async () => {
    expect(await workspaceId(gateway.app.get(Database), fresh())).toBeNull();
  });

  it('holds the same address in two workspaces apart', async () => {
    const [one, two] = [fresh(), fresh()];
    const accepted = [
      await accept(await open(one, 'ada@twice.test')),
      await accept(await open(two, 'ada@twice.test')),
    ];
    expect(accepted.map(workspaceOf)).toMatchObject([{ name: one }, { name: two }]);
    const [here, there] = accepted.map((answer) => answer.headers['set-cookie']?.[0] ?? '');
    const members = async (cookie = ''): Promise<unknown> =>
      (
        bodyOf(await gateway.send('/settings/api/members', { headers: { cookie } }))[
          'items'
        ] as unknown[]
      ).length;
    expect([await members(here), await members(there)]).toEqual([1, 1]);
  });
});
