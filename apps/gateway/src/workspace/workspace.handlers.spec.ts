import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkspaceSettings } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf } from '../testing/http.js';

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

  it.each([
    [{ timeZone: 'Europe/Nowhere' }, 'timeZone'],
    [{ workingHours: [{ day: 'MO', from: '18:00', to: '09:00' }] }, 'workingHours.0'],
    [{ workingHours: [{ day: 'MO', from: '9', to: '10:00' }] }, 'workingHours.0'],
    [{ workingHours: [{ day: 'XX', from: '09:00', to: '10:00' }] }, 'workingHours.0.day'],
    [{ name: ' ' }, 'name'],
    [{ quotas: {} }, 'quotas'],
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
