import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemFacts, type WorkspaceSettings } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

const assistantsOf = (...clients: string[]) => ({
  assistants: { enabled: true, clients, scopes: ['read:conversations'] },
});

describe('the workspace', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const settings = (method: string, body?: object) =>
    gateway.settings(workspace.admin, method, '/workspace', body);
  const read = async (): Promise<WorkspaceSettings> =>
    bodyOf(await settings('GET'))['workspace'] as WorkspaceSettings;

  it('has working hours until an administrator says otherwise', async () => {
    const before = await read();
    expect(before.workingHours.map(({ day }) => day)).toEqual(['MO', 'TU', 'WE', 'TH', 'FR']);
    const workingHours = [{ day: 'SA', from: '10:00', to: '24:00' }];
    const answer = await settings('PATCH', { timeZone: 'Europe/Paris', workingHours });
    expect(bodyOf(answer)['workspace']).toEqual({
      ...before,
      timeZone: 'Europe/Paris',
      workingHours,
    });
    expect(await read()).toMatchObject({ name: before.name, workingHours });
  });

  it('shows its quotas and what is used of them, and refuses more than that', async () => {
    await gateway.restart({ QUOTA_KEYS: '2', QUOTA_MEMBERS: '3' });
    const { admin } = workspace;
    const add = (path: string, body: object) => gateway.settings(admin, 'POST', path, body);
    const newKey = () => add('/keys', { name: 'A key', scopes: ['read:conversations'] });
    const newMember = () => add('/members', { email: `${randomUUID()}@acme.test`, name: 'M' });
    const { quotas } = await read();
    expect(quotas).toEqual({
      keys: { limit: 2, used: 0 },
      members: { limit: 3, used: 1 },
      // Approvals and the audit of the gateway’s own.
      storedBytes: { limit: 100 * 1024 ** 3, used: expect.any(Number) },
      mailboxes: { limit: 9, used: 2 },
    });
    const atOnce = async (make: () => Promise<Answer>): Promise<Answer[]> => {
      const answers = await Promise.all(Array.from({ length: 6 }, make));
      return answers.toSorted((one, other) => one.status - other.status);
    };
    const [first, ...others] = await atOnce(newKey);
    expect(others.map(({ status }) => status)).toEqual([201, 409, 409, 409, 409]);
    expect(bodyOf(others[1] as Answer)).toMatchObject({
      error: 'QUOTA_EXCEEDED',
      message: `${problemFacts('QUOTA_EXCEEDED').en} keys: 2 of 2.`,
    });
    const { id } = bodyOf(first as Answer)['key'] as { id: string };
    await gateway.settings(admin, 'DELETE', `/keys/${id}`);
    expect((await newKey()).status).toBe(201);
    const members = await atOnce(newMember);
    expect(members.map(({ status }) => status)).toEqual([201, 201, 409, 409, 409, 409]);
    expect((await read()).quotas).toMatchObject({ keys: { used: 2 }, members: { used: 3 } });
    await gateway.restart();
  });

  it('can be read and changed while the service that counts is away', async () => {
    await gateway.mailGoes();
    expect(await read()).toMatchObject({ quotas: null });
    const answer = await settings('PATCH', { timeZone: 'Europe/Paris' });
    expect(bodyOf(answer)['workspace']).toMatchObject({ timeZone: 'Europe/Paris', quotas: null });
    await gateway.mailComes();
    expect((await read()).quotas).not.toBeNull();
  });

  it('takes hosts of assistants with a port, loopback and schemes of applications', async () => {
    const change = assistantsOf('claude.ai', 'corp.example:8443', 'localhost', 'com.example.app');
    expect(bodyOf(await settings('PATCH', change))['workspace']).toMatchObject(change);
  });

  it.each([
    [{ timeZone: 'Europe/Nowhere' }, 'timeZone'],
    [{ workingHours: [{ day: 'MO', from: '18:00', to: '09:00' }] }, 'workingHours.0'],
    [{ workingHours: [{ day: 'MO', from: '9', to: '10:00' }] }, 'workingHours.0'],
    [{ workingHours: [{ day: 'XX', from: '09:00', to: '10:00' }] }, 'workingHours.0.day'],
    [{ name: ' ' }, 'name'],
    [{ name: 'Ten_00000000000000000000000000' }, 'name'],
    [{ quotas: {} }, 'quotas'],
    ...['https://claude.ai', 'claude.ai/mcp', 'Claude.ai', '*.claude.ai'].map(
      (bad) => [assistantsOf('claude.ai', bad), 'assistants.clients.1'] as const,
    ),
  ])('refuses %j', async (body, field) => {
    const answer = await settings('PATCH', body);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)['details']).toMatchObject([{ field }]);
  });

  it('has a name that no other one has, and is changed by administrators alone', async () => {
    const other = await gateway.workspace();
    const { name } = bodyOf(await gateway.settings(other.admin, 'GET', '/workspace'))[
      'workspace'
    ] as WorkspaceSettings;
    expect((await settings('PATCH', { name })).status).toBe(409);
    const member = await gateway.member(workspace);
    expect((await gateway.settings(member, 'PATCH', '/workspace', {})).status).toBe(403);
  });
});
