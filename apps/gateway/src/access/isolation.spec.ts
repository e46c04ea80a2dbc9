import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  idPattern,
  newId,
  table,
  unknownId,
  type IdPrefix,
  type Operation,
} from '@postroom/contracts';
import { Gateway, idOfKey, type SomeWorkspace } from '../testing/gateway.js';
import { alike } from '../testing/http.js';

/** A body with which the operation would succeed on an id of one's own. */
const bodies: Readonly<Record<string, object>> = {
  'members.update': { name: 'Alex' },
  'keys.update': { name: 'Renamed', scopes: [] },
  'teams.update': { name: 'Renamed' },
  'approvals.approve': {},
  'approvals.reject': { comment: 'No' },
};

describe('an id of another workspace', () => {
  let gateway: Gateway;
  let here: SomeWorkspace;
  let there: SomeWorkspace;
  let foreign: Record<string, string>;
  let before: unknown;

  const everything = (): Promise<object[]> =>
    gateway.rows(
      `SELECT row_to_json(m) FROM members m WHERE tenant_id = $1 UNION ALL
       SELECT row_to_json(k) FROM keys k WHERE tenant_id = $1 UNION ALL
       SELECT row_to_json(t) FROM teams t WHERE tenant_id = $1 UNION ALL
       SELECT row_to_json(i) FROM invitations i WHERE tenant_id = $1 UNION ALL
       SELECT row_to_json(a) FROM approvals a WHERE tenant_id = $1`.replaceAll(
        'row_to_json',
        'to_jsonb',
      ),
      [there.id],
    );

  const team = async ({ admin }: SomeWorkspace): Promise<string> => {
    const { text } = await gateway.settings(admin, 'POST', '/teams', { name: 'A' });
    return (JSON.parse(text) as { team: { id: string } }).team.id;
  };

  const session = async ({ admin }: SomeWorkspace): Promise<string> => {
    const { text } = await gateway.settings(admin, 'GET', '/sessions');
    return (JSON.parse(text) as { items: { id: string }[] }).items[0]?.id ?? '';
  };

  const passkey = async ({ id, admin }: SomeWorkspace): Promise<string> => {
    const made = newId('psk');
    await gateway.rows(
      `INSERT INTO passkeys (id, tenant_id, member_id, name, credential_id, public_key, counter,
         transports, created_at) VALUES ($1, $2, $3, 'A', $1, '', 0, '{}', now())`,
      [made, id, admin.id],
    );
    return made;
  };

  const invitation = async ({ admin }: SomeWorkspace): Promise<string> => {
    const invited = { email: 'invited@acme.test', name: 'Robin' };
    await gateway.settings(admin, 'POST', '/members', invited);
    const { text } = await gateway.settings(admin, 'GET', '/invitations');
    return (JSON.parse(text) as { items: { id: string }[] }).items[0]?.id ?? '';
  };

  /** A write that an agent of the workspace has filed. */
  const approval = async (workspace: SomeWorkspace): Promise<string> => {
    const mailbox = 'support@acme.test';
    const agent = await gateway.key(workspace, {
      ...{ kind: 'agent', approval: 'required', scopes: ['write:conversations'] },
      grants: { [mailbox]: 'write' },
    });
    const answer = await gateway.ask(agent, `/v1/conversations/${newId('cnv')}/archive`, {
      ...{ method: 'POST', headers: { 'idempotency-key': 'a-good-key' }, body: { mailbox } },
    });
    return (JSON.parse(answer.text) as { approval: { id: string } }).approval.id;
  };

  beforeAll(async () => {
    gateway = await Gateway.start();
    [here, there] = [await gateway.workspace(), await gateway.workspace()];
    foreign = {
      members: (await gateway.member(there)).id,
      sessions: await session(there),
      keys: idOfKey(await gateway.key(there)),
      teams: await team(there),
      memberInvitations: await invitation(there),
      approvals: await approval(there),
      passkeys: await passkey(there),
    };
    foreign = {
      ...foreign,
      ...{ filedApprovals: foreign['approvals'] ?? '', secondFactor: foreign['members'] ?? '' },
      ...{ keyRefusals: foreign['keys'] ?? '', connections: foreign['keys'] ?? '' },
    };
    await gateway.restart();
    before = await everything();
  });
  afterAll(() => gateway.close());

  // The calendar of a feed is looked for by scheduling: see its transfer.handlers.spec.ts.
  const operations = table.filter(
    ({ service, family, path }) =>
      service === 'access' && path.includes(':id') && family !== 'calendarFeeds',
  );

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'is to %s as an id that nothing has',
    async (_id, operation) => {
      const id = foreign[operation.family] ?? '';
      const prefix = id.slice(0, 3) as IdPrefix;
      expect(id).toMatch(new RegExp(idPattern(prefix)));
      const answer = await ask(operation, id);
      expect(answer).toMatchObject({ status: 404 });
      for (const other of [newId(prefix), unknownId(prefix), 'x', '%F0%9F%90%8E']) {
        expect(await ask(operation, other)).toEqual(answer);
      }
      expect(await everything()).toEqual(before);
    },
  );

  const ask = async (operation: Operation, id: string): Promise<unknown> => {
    const { audience, method, path } = operation;
    const place = path.replace(':id', id);
    // A new key each time, whose rate limit is full.
    if (audience === 'key')
      return alike(await gateway.ask(await gateway.key(here), place, { method }));
    return alike(await gateway.settings(here.admin, method, place, bodies[operation.id]));
  };

  it('is in no list', async () => {
    for (const path of ['/members', '/invitations', '/keys', '/teams', '/approvals']) {
      const { text } = await gateway.settings(here.admin, 'GET', path);
      for (const id of Object.values(foreign)) expect(text).not.toContain(id);
    }
  });
});
