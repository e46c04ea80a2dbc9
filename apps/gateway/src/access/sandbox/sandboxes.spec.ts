import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSandboxId, sandboxesMax, type CreatedSandbox } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';

describe('sandboxes of a workspace', () => {
  let gateway: Gateway;
  let place: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    place = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const create = (given: object, by = place) =>
    gateway.settings(by.admin, 'POST', '/sandboxes', {
      ...{ name: randomUUID(), adminEmail: 'ada@sandbox.test', ...given },
    });
  const list = async (by = place) =>
    bodyOf(await gateway.settings(by.admin, 'GET', '/sandboxes'))['items'] as object[];
  const made = async (given: object) => bodyOf(await create(given)) as unknown as CreatedSandbox;

  it('are made with their domain and calendar, in the name of their administrator', async () => {
    const name = `Shop ${randomUUID()}`;
    const { sandbox, invitationUrl } = await made({ name });
    expect(sandbox).toMatchObject({ name, id: expect.stringMatching(/^ten_7/) });
    expect(await list()).toEqual([sandbox]);
    const calls = [...gateway.mail.calls, ...gateway.scheduling.calls];
    const of = calls.filter(({ caller }) => caller.tenantId === sandbox.id);
    const writes = of.filter(({ request }) => request.operation.endsWith('.create'));
    expect(writes.map(({ request, input }) => [request.operation, input])).toEqual([
      ['domains.create', { name: sandbox.domain }],
      ['calendars.create', { name: 'Team', scope: 'shared' }],
    ]);
    expect(sandbox.domain).toMatch(/^shop-[0-9a-f-]+-[0-9a-z]{6}\.sandbox\.invalid$/);
    const token = new URL(invitationUrl).searchParams.get('token');
    const body = { token, password: 'correct horse battery staple' };
    const path = '/settings/api/invitations/accept';
    const accepted = bodyOf(await gateway.send(path, { method: 'POST', body }));
    expect(accepted).toMatchObject({ tenant: { id: sandbox.id, name }, member: { role: 'admin' } });
  });

  it('are the same one of the same name and administrator, with a new link', async () => {
    const name = randomUUID();
    const [one, again] = [await made({ name }), await made({ name })];
    expect(again.sandbox).toEqual(one.sandbox);
    expect(again.invitationUrl).not.toBe(one.invitationUrl);
  });

  it.each([
    ['has a name of another workspace', async () => create({ name: (await other()).name })],
    [
      'is of another administrator',
      async () => {
        const { sandbox } = await made({});
        return create({ name: sandbox.name, adminEmail: 'bob@sandbox.test' });
      },
    ],
    [
      'is of another workspace',
      async () => {
        const { sandbox } = await made({});
        return create({ name: sandbox.name }, await gateway.workspace());
      },
    ],
  ])('is refused where it %s', async (_, ask) => {
    expect(bodyOf(await ask())).toMatchObject({ error: 'WORKSPACE_EXISTS' });
  });

  it('are not made by a sandbox, nor more than ten by a workspace', async () => {
    const sandbox = await gateway.workspace(undefined, newSandboxId());
    expect(bodyOf(await create({}, sandbox))).toMatchObject({ error: 'ROUTE_NOT_FOUND' });
    const full = await gateway.workspace();
    const asked = await Promise.all(
      Array.from({ length: sandboxesMax + 1 }, () => create({}, full)),
    );
    const refused = asked.filter(({ status }) => status !== 201);
    expect(refused.map((answer) => bodyOf(answer)['error'])).toEqual(['TOO_MANY_SANDBOXES']);
    expect(await list(full)).toHaveLength(sandboxesMax);
    expect(await list(sandbox)).toEqual([]);
  });

  const other = async () => {
    const { id } = await gateway.workspace();
    const [found] = await gateway.rows('SELECT name FROM tenants WHERE tenant_id = $1', [id]);
    return found as { name: string };
  };
});
