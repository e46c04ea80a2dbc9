import { beforeAll, describe, expect, it } from '@jest/globals';
import { tenantOf } from './product.js';
import { SettingsApi } from './settings-api.js';
import { itemsOf, pageOf, recordOf } from './wire.js';
import { Workplace } from './workplace.js';

const scopes = [
  'read:conversations',
  'write:conversations',
  'read:contacts',
  'write:contacts',
  'read:calendar',
  'write:calendar',
  'read:tasks',
  'write:tasks',
  'read:analytics',
  'drafts:write',
  'mail:send',
];

describe('the demo workspaces', () => {
  describe.each(['acme', 'globex'] as const)('%s', (name) => {
    let place: Workplace;

    beforeAll(async () => {
      place = await Workplace.open(name);
    });

    it('has two mailboxes with mail in them', async () => {
      const { mailboxes, keys } = place.tenant;
      expect(mailboxes).toEqual([`support@${name}.test`, `sales@${name}.test`]);
      for (const mailbox of mailboxes) {
        const { conversations } = pageOf(
          await place.with(keys.human).get('/v1/conversations', { mailbox }),
        );
        expect(conversations.length).toBeGreaterThan(0);
      }
    });

    it('has an administrator and a member who may both approve', async () => {
      const { admin, member } = place.tenant;
      for (const [person, role] of [
        [admin, 'admin'],
        [member, 'member'],
      ] as const) {
        const session = await SettingsApi.signIn(place.product, person);
        expect(recordOf(await session.get('/session'))).toMatchObject({
          member: { email: person.email, role, canApprove: true, active: true },
          tenant: { id: place.tenant.id, name },
        });
      }
    });

    it('has the five keys, each with its rights', async () => {
      const { admin, member, mailboxes, keys } = place.tenant;
      const both = mailboxes.map((address) => ({ address, access: 'write' }));
      const agentScopes = scopes.filter((scope) => scope !== 'mail:send');
      const expected = {
        admin: { kind: 'human', scopes, admin: true, member: admin.email, mailboxes: both },
        human: { kind: 'human', scopes: agentScopes, member: member.email, mailboxes: both },
        readOnly: {
          kind: 'human',
          scopes: ['read:conversations'],
          member: null,
          mailboxes: [{ address: mailboxes[0], access: 'read' }],
        },
        agent: {
          kind: 'agent',
          approval: 'required',
          scopes: agentScopes,
          member: member.email,
          mailboxes: both,
        },
        agentDirect: {
          kind: 'agent',
          approval: 'none',
          scopes: agentScopes,
          member: member.email,
          mailboxes: both,
        },
      };
      const listed = itemsOf(await place.settings.get('/keys'));
      for (const [which, secret] of Object.entries(keys)) {
        const id = secret.split('_')[2] ?? '';
        const key = listed.find((one) => String(one['id']).includes(id));
        const wanted = Object.entries(expected).find(([one]) => one === which)?.[1];
        expect(sorted(key)).toMatchObject(sorted(wanted));
      }
    });

    it('has a team and labels', async () => {
      const [team] = itemsOf(await place.settings.get('/teams'));
      expect(team).toMatchObject({ name: 'Support', memberIds: expect.any(Array) });
      const [mailbox = ''] = place.tenant.mailboxes;
      const labelled = { mailbox, label: 'urgent', placement: 'all' };
      const answer = await place
        .with(place.tenant.keys.readOnly)
        .get('/v1/conversations', labelled);
      expect(pageOf(answer).conversations[0]?.labels).toEqual(['Facturation', 'Urgent']);
    });

    it('has calendars, events of today, and tasks tied to its conversations', async () => {
      const api = place.with(place.tenant.keys.human);
      // Other files of the suite add calendars of their own.
      expect(recordOf(await api.get('/v1/calendars'))['calendars']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'Équipe', scope: 'shared' }),
          expect.objectContaining({ name: 'Max', scope: 'personal' }),
        ]),
      );
      const { occurrences } = recordOf(await api.get('/v1/calendar-events'));
      expect((occurrences as unknown[]).length).toBeGreaterThan(5);
      const { tasks } = recordOf(await api.get('/v1/tasks', { limit: 1000 }));
      expect((tasks as { threadId: unknown }[]).filter(({ threadId }) => threadId)).not.toEqual([]);
    });

    it('has keys that read its mailboxes and nobody else’s', async () => {
      const other = tenantOf(place.product, name === 'acme' ? 'globex' : 'acme');
      for (const key of Object.values(place.tenant.keys)) {
        const ask = async (mailbox = ''): Promise<number> =>
          (await place.with(key).get('/v1/conversations', { mailbox })).status;
        expect(await ask(place.tenant.mailboxes[0])).toBe(200);
        expect(await ask(other.mailboxes[0])).toBe(403);
      }
    });
  });
});

/** Scopes and mailboxes are sets, without an order. */
function sorted(key: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(key ?? {}).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
    ]),
  );
}
