// tags: own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@postroom/contracts';
import { type NameServer, startNameServer } from '@postroom/testing';
import { type Answer, send } from './http.js';
import { deliver } from './mail.js';
import { type Product, type RunningProduct, tenantOf } from './product.js';
import { ProductProcess } from './product-process.js';
import { withoutRequest } from './sameness.js';
import { SettingsApi } from './settings-api.js';
import { recordOf } from './wire.js';
import { Workplace } from './workplace.js';

describe('a deployment', () => {
  let running: RunningProduct;
  let product: Product;
  let names: NameServer;
  const texts = new Map<string, readonly string[]>();

  // A start takes seconds, the first of a cluster the longest.
  beforeAll(async () => {
    running = await ProductProcess.prepare();
    names = await startNameServer(
      () => null,
      (name) => texts.get(name) ?? null,
    );
    await running.restart({
      OUTBOUND_DNS_SERVERS: names.address,
      WORKSPACE_DOMAINS: 'mail.acme.example=acme, mail.globex.example=globex',
    });
    ({ product } = running);
  });

  afterAll(async () => {
    await running.remove();
    names.close();
  });

  describe('postroom workspace create', () => {
    const admin = 'first@initech.test';
    const create = (): ReturnType<RunningProduct['command']> =>
      running.command(
        ...['workspace', 'create', '--name', 'initech', '--admin', admin],
        ...['--domain', 'initech.test'],
      );

    it('makes a workspace and prints a one-time link for its administrator', async () => {
      const { code, stdout, stderr } = await create();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const url = /https?:\/\/\S+token=\S+/.exec(stdout)?.[0] ?? '';
      const token = new URL(url).searchParams.get('token');
      const person = { email: admin, password: 'Correct horse battery' };
      const nobody = new SettingsApi(product);
      const accept = (): Promise<Answer> =>
        nobody.post('/invitations/accept', { token, password: person.password });
      expect((await accept()).status).toBe(200);
      expect((await accept()).status).toBe(404);

      const settings = await SettingsApi.signIn(product, person);
      expect(recordOf(await settings.get('/session'))).toMatchObject({
        member: { email: admin, role: 'admin' },
        tenant: { name: 'initech' },
      });
      expect(recordOf(await settings.get('/domains'))).toMatchObject({
        items: [{ name: 'initech.test', state: 'verified' }],
      });
      for (const list of ['/mailboxes', '/keys']) {
        expect(recordOf(await settings.get(list))).toMatchObject({ items: [] });
      }
    });

    it('leaves the other workspaces as they are', async () => {
      const acme = await Workplace.open('acme', product);
      expect((await acme.settings.get('/members')).text).not.toContain(admin);
    });
  });

  describe('with WORKSPACE_DOMAINS', () => {
    it('makes its demo on the first start all the same', () => {
      expect(product.tenants.map(({ name }) => name)).toEqual(['acme', 'globex']);
    });

    const list = (name: 'acme' | 'globex', host: string): Promise<Answer> => {
      const { keys, mailboxes } = tenantOf(product, name);
      const url = `${product.baseUrl}/v1/conversations?mailbox=${mailboxes[0]}`;
      return send(url, { headers: { 'X-Api-Key': keys.human, Host: host } });
    };

    it.each(['mail.acme.example', 'mail.acme.example:8443', 'MAIL.ACME.EXAMPLE'])(
      'accepts a key on the domain of its workspace: %s',
      async (host) => {
        expect((await list('acme', host)).status).toBe(200);
      },
    );

    it('refuses a key on the domain of another workspace as an unknown one', async () => {
      const foreign = await list('globex', 'mail.acme.example');
      const none = await send(`${product.baseUrl}/v1/conversations`, {
        headers: { Host: 'mail.acme.example' },
      });
      expect(foreign.status).toBe(401);
      expect(withoutRequest(foreign)).toEqual(withoutRequest(none));
      expect((await list('globex', 'mail.globex.example')).status).toBe(200);
    });
  });

  describe('domains', () => {
    const newMailbox = (settings: SettingsApi, domain: string): Promise<Answer> =>
      settings.post('/mailboxes', { address: `support@${domain}`, name: 'Support' });
    const codeOf = (answer: Answer): string => String(recordOf(answer)['error']);
    const domainOf = (answer: Answer): Domain => recordOf(answer)['domain'] as Domain;

    it('are proved by a DNS record, and then belong to one workspace', async () => {
      const name = 'proved.example';
      const [acme, globex] = await Promise.all([
        Workplace.open('acme', product),
        Workplace.open('globex', product),
      ]);
      const made = await acme.settings.post('/domains', { name });
      expect([made.status, domainOf(made).state]).toEqual([201, 'pending']);
      const { id, record } = domainOf(made);
      expect(codeOf(await newMailbox(acme.settings, name))).toBe('DOMAIN_NOT_VERIFIED');
      const verify = (): Promise<Answer> => acme.settings.post(`/domains/${id}/verify`, {});
      expect(codeOf(await verify())).toBe('DOMAIN_RECORD_MISSING');
      texts.set(record.name, [record.value]);
      expect(domainOf(await verify()).state).toBe('verified');
      expect(codeOf(await globex.settings.post('/domains', { name }))).toBe('DOMAIN_TAKEN');
      expect(codeOf(await newMailbox(globex.settings, name))).toBe('DOMAIN_TAKEN');
      expect((await newMailbox(acme.settings, name)).status).toBe(201);
      const key = await acme.keyFor(`support@${name}`);
      await acme.receive(key, `support@${name}`);
    });

    it('are given and taken away by the operator', async () => {
      const name = 'given.example';
      const { settings } = await Workplace.open('globex', product);
      const given = await running.command('domain', 'add', name, '--workspace', 'globex');
      expect(given).toMatchObject({ code: 0, stderr: '' });
      expect((await newMailbox(settings, name)).status).toBe(201);
      await deliver(product, { to: `support@${name}` });
      const again = await running.command('domain', 'add', name, '--workspace', 'acme');
      expect(again.code).toBe(1);
      expect(again.stderr).toMatch(/another workspace/);
      expect((await running.command('domain', 'remove', name)).code).toBe(0);
      await expect(deliver(product, { to: `support@${name}` })).rejects.toThrow(/550/);
    });
  });

  describe('postroom mailbox restore', () => {
    it('brings a deleted mailbox back', async () => {
      const acme = await Workplace.open('acme', product);
      const address = await acme.mailbox();
      const { items } = recordOf(await acme.settings.get('/mailboxes'));
      const box = (items as { id: string; address: string }[]).find(
        (one) => one.address === address,
      );
      expect((await acme.settings.delete(`/mailboxes/${box?.id}`)).status).toBe(200);
      await expect(deliver(product, { to: address })).rejects.toThrow(/550/);
      expect(await running.command('mailbox', 'restore', address)).toMatchObject({ code: 0 });
      await deliver(product, { to: address });
      expect((await running.command('mailbox', 'restore', address)).code).toBe(1);
    });
  });
});
