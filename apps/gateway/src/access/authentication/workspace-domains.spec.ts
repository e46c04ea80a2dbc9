import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '@postroom/service';
import { Database } from '@postroom/persistence';
import { openWorkspace } from '../open-workspace.js';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { alike, type Answer } from '../../testing/http.js';
import { WorkspaceDomains } from './workspace-domains.js';

const acme = { id: 'ten_1', name: 'acme' };
const globex = { id: 'ten_2', name: 'globex' };

describe('WORKSPACE_DOMAINS', () => {
  it.each([null, '', ' , '])('set to %j leaves it to the credential', (setting) => {
    const domains = new WorkspaceDomains(setting);
    expect(domains.serves('anything.example', acme)).toBe(true);
    expect(domains.serves('', globex)).toBe(true);
  });

  it('gives each host its own workspace, by name or id, in any case', () => {
    const domains = new WorkspaceDomains(' Acme.example = acme,globex.example=ten_2,');
    expect(domains.serves('acme.EXAMPLE', acme)).toBe(true);
    expect(domains.serves('globex.example', globex)).toBe(true);
    expect(domains.serves('acme.example', globex)).toBe(false);
    expect(domains.serves('globex.example', acme)).toBe(false);
    expect(domains.serves('globex.example', { id: 'ten_3', name: globex.id })).toBe(false);
  });

  it('leaves it to the credential at a host that is nobody’s', () => {
    const domains = new WorkspaceDomains('acme.example=acme');
    for (const host of ['', '127.0.0.1', 'x.acme.example']) {
      expect(domains.serves(host, acme)).toBe(true);
      expect(domains.serves(host, globex)).toBe(true);
    }
  });

  it.each(['acme.example', 'acme.example=', '=acme', 'a=acme,b'])('refuses %j', (setting) => {
    expect(() => new WorkspaceDomains(setting)).toThrow(ConfigError);
    expect(() => new WorkspaceDomains(setting)).toThrow('WORKSPACE_DOMAINS');
  });

  describe('in a running gateway', () => {
    let gateway: Gateway;
    let one: SomeWorkspace;
    let key: string;

    beforeAll(async () => {
      gateway = await Gateway.start({ WORKSPACE_DOMAINS: 'one.test=one,two.test=two' });
      one = await gateway.workspace('one');
      await gateway.workspace('two');
      key = await gateway.key(one, { grants: { 'a@one.test': 'read' } });
    });
    afterAll(() => gateway.close());

    const ask = (host: string): Promise<Answer> =>
      gateway.ask(key, '/v1/conversations?mailbox=a@one.test', { headers: { host } });

    it('lets a key in at its own domain, whatever the port', async () => {
      expect((await ask('one.test')).status).toBe(200);
      expect((await ask('ONE.test:3000')).status).toBe(200);
    });

    it('refuses it at the domain of another as it does an unknown key', async () => {
      const headers = { host: 'two.test' };
      const unknown = await gateway.ask('pr_human_x', '/v1/conversations', { headers });
      expect(alike(await ask('two.test'))).toEqual(alike(unknown));
    });

    it.each(['three.test', '127.0.0.1', '[::1]:3000', ''])(
      'lets it in at %j, nobody’s domain',
      async (host) => {
        expect((await ask(host)).status).toBe(200);
      },
    );

    it('holds for sessions, sign-ins and links too', async () => {
      const token = await openWorkspace(gateway.app.get(Database), {
        name: 'one',
        adminEmail: one.admin.email,
        adminName: 'Ada',
      });
      const password = 'correct horse battery staple';
      const post = async (host: string, path: string, body: object): Promise<number> =>
        (await gateway.send(`/settings/api${path}`, { method: 'POST', headers: { host }, body }))
          .status;
      const session = async (host: string): Promise<number> =>
        (
          await gateway.send('/settings/api/session', {
            headers: { host, cookie: one.admin.cookie },
          })
        ).status;
      expect([await session('two.test'), await session('one.test')]).toEqual([401, 200]);
      expect(await post('two.test', '/invitations/accept', { token, password })).toBe(404);
      expect(await post('one.test', '/invitations/accept', { token, password })).toBe(200);
      const credentials = { email: one.admin.email, password };
      expect(await post('two.test', '/session', credentials)).toBe(401);
      expect(await post('one.test', '/session', credentials)).toBe(200);
    });

    it('stops a start when it is malformed', async () => {
      await expect(gateway.create({ WORKSPACE_DOMAINS: 'nonsense' })).rejects.toThrow(ConfigError);
    });
  });
});
