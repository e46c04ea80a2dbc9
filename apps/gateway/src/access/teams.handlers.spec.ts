import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, teamsMax, type Team, type TeamList } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

describe('teams', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    workspace = await gateway.workspace();
  });

  const settings = (method: string, path: string, body?: object): Promise<Answer> =>
    gateway.settings(workspace.admin, method, path, body);
  const teamOf = (answer: Answer): Team => {
    expect([200, 201]).toContain(answer.status);
    return (JSON.parse(answer.text) as { team: Team }).team;
  };
  const make = async (name: string, memberIds: readonly string[] = []): Promise<Team> =>
    teamOf(await settings('POST', '/teams', { name, memberIds }));
  const list = async (): Promise<readonly Team[]> =>
    (JSON.parse((await settings('GET', '/teams')).text) as TeamList).items;
  const expectProblem = (answer: Answer, status: number, code: string): void => {
    expect([answer.status, bodyOf(answer)['error']]).toEqual([status, code]);
  };

  it('are made, listed, changed and removed, each in the audit record', async () => {
    const member = await gateway.member(workspace);
    const team = await make('Support', [member.id, workspace.admin.id]);
    expect(team).toEqual({
      id: expect.stringMatching(/^tea_/),
      name: 'Support',
      memberIds: [member.id, workspace.admin.id],
      createdAt: expect.stringMatching(/Z$/),
      version: 1,
    });
    expect(await list()).toEqual([team]);
    const changed = teamOf(await settings('PATCH', `/teams/${team.id}`, { name: 'Sales' }));
    expect(changed).toEqual({ ...team, name: 'Sales', version: 2 });
    const emptied = teamOf(await settings('PATCH', `/teams/${team.id}`, { memberIds: [] }));
    expect(emptied).toEqual({ ...changed, memberIds: [], version: 3 });
    const removed = await settings('DELETE', `/teams/${team.id}`);
    expect([removed.status, bodyOf(removed)]).toEqual([200, { ok: true }]);
    expect(await list()).toEqual([]);
    const audit = await gateway.audit(workspace);
    expect(audit.map(({ action, subjectId }) => [action, subjectId])).toEqual([
      ['teams.create', team.id],
      ['teams.update', team.id],
      ['teams.update', team.id],
      ['teams.remove', team.id],
    ]);
  });

  it('have a name that no other team of the workspace has, however it is written', async () => {
    const { id } = await make('Grands Comptes');
    for (const name of ['GRANDS  COMPTES', ' grands comptes ', 'Ｇrands Comptes']) {
      expectProblem(await settings('POST', '/teams', { name }), 409, 'TEAM_EXISTS');
    }
    const other = await make('Other');
    const taken = { name: 'grands comptes' };
    expectProblem(await settings('PATCH', `/teams/${other.id}`, taken), 409, 'TEAM_EXISTS');
    expect(teamOf(await settings('PATCH', `/teams/${id}`, taken)).name).toBe('grands comptes');
    const elsewhere = await gateway.workspace();
    expect((await gateway.settings(elsewhere.admin, 'POST', '/teams', taken)).status).toBe(201);
  });

  it('of one name made at once are one', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => settings('POST', '/teams', { name: 'A' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('hold active members of the workspace only, and say which are not', async () => {
    const member = await gateway.member(workspace);
    const gone = await gateway.member(workspace);
    await settings('PATCH', `/members/${gone.id}`, { active: false });
    const stranger = await gateway.member(await gateway.workspace());
    const memberIds = [member.id, gone.id, stranger.id, newId('mbr')];
    const { id } = await make('B');
    const answers = [
      await settings('POST', '/teams', { name: 'A', memberIds }),
      await settings('PATCH', `/teams/${id}`, { memberIds }),
    ];
    for (const answer of answers) {
      expectProblem(answer, 400, 'INVALID_REQUEST');
      const message = expect.any(String);
      expect(bodyOf(answer)['details']).toEqual(
        [1, 2, 3].map((i) => ({ field: `memberIds.${i}`, code: expect.any(String), message })),
      );
    }
  });

  it('lose a member who is removed, and keep one who is inactive', async () => {
    const [one, other] = [await gateway.member(workspace), await gateway.member(workspace)];
    await make('A', [one.id, other.id]);
    await settings('PATCH', `/members/${other.id}`, { active: false });
    await settings('DELETE', `/members/${one.id}`);
    expect(await list()).toMatchObject([{ memberIds: [other.id], version: 2 }]);
  });

  it('take back the list that they show, inactive members and all', async () => {
    const [one, other] = [await gateway.member(workspace), await gateway.member(workspace)];
    const { id } = await make('A', [one.id]);
    for (const { id } of [one, other]) await settings('PATCH', `/members/${id}`, { active: false });
    const [shown] = await list();
    const answer = await settings('PATCH', `/teams/${id}`, { memberIds: shown?.memberIds ?? [] });
    expect(answer.status).toBe(200);
    const added = await settings('PATCH', `/teams/${id}`, { memberIds: [one.id, other.id] });
    expectProblem(added, 400, 'INVALID_REQUEST');
    expect(bodyOf(added)['details']).toMatchObject([{ field: 'memberIds.1' }]);
  });

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(121) }],
    ['name', { name: 5 }],
    ['name', { name: null }],
    ['memberIds', { name: 'A', memberIds: 'all' }],
    ['memberIds', { name: 'A', memberIds: ['mbr_'] }],
    ['memberIds', { name: 'A', memberIds: null }],
    ['members', { name: 'A', members: [] }],
  ])('name the field at fault: %s', async (field, body) => {
    const { id } = await make('B');
    for (const answer of [
      await settings('POST', '/teams', body),
      await settings('PATCH', `/teams/${id}`, body),
    ]) {
      expectProblem(answer, 400, 'INVALID_REQUEST');
      expect(bodyOf(answer)['details']).toEqual([
        { field, code: expect.any(String), message: expect.any(String) },
      ]);
    }
  });

  it('refuse a member named twice', async () => {
    const { id } = workspace.admin;
    const answer = await settings('POST', '/teams', { name: 'A', memberIds: [id, id] });
    expectProblem(answer, 400, 'INVALID_REQUEST');
  });

  it('are changed under the version that was read', async () => {
    const { id } = await make('A');
    const { cookie } = workspace.admin;
    const ask = (method: string, version: string): Promise<Answer> =>
      gateway.send(`/settings/api/teams/${id}`, {
        method,
        headers: { cookie, 'if-match': version },
        ...(method === 'PATCH' && { body: { name: 'B' } }),
      });
    expectProblem(await ask('PATCH', '7'), 409, 'VERSION_CONFLICT');
    expectProblem(await ask('DELETE', '7'), 409, 'VERSION_CONFLICT');
    expect((await ask('PATCH', '1')).status).toBe(200);
    expect((await ask('DELETE', '"2"')).status).toBe(200);
  });

  it('are for administrators, and of one workspace', async () => {
    const { id } = await make('A');
    const member = await gateway.member(workspace);
    expectProblem(await gateway.settings(member, 'GET', '/teams'), 403, 'ADMIN_REQUIRED');
    const { admin } = await gateway.workspace();
    const seen = [id, newId('tea'), 'x'].map(async (one) => {
      const { status, text } = await gateway.settings(admin, 'DELETE', `/teams/${one}`);
      return [status, text.replace(/"requestId":"[^"]*"/, '')];
    });
    const [first, ...others] = await Promise.all(seen);
    expect(first?.[0]).toBe(404);
    for (const other of others) expect(other).toEqual(first);
    expect(JSON.parse((await gateway.settings(admin, 'GET', '/teams')).text)).toMatchObject({
      items: [],
    });
  });

  it('are at most a thousand', async () => {
    await gateway.rows(
      `INSERT INTO teams (id, tenant_id, name, name_key, member_ids, created_at)
       SELECT 'tea_' || lpad(n::text, 26, '0'), $1, n::text, n::text, '{}', now()
       FROM generate_series(1, $2::int) n`,
      [workspace.id, teamsMax],
    );
    expectProblem(await settings('POST', '/teams', { name: 'A' }), 409, 'TOO_MANY_TEAMS');
    expect(await list()).toHaveLength(teamsMax);
  });
});
