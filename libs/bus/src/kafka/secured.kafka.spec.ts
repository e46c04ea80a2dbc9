import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { busUser } from '@postroom/contracts';
import { eventually, until } from '@postroom/testing/until';
import { busApps, busRights, type BusApp } from '../rights.js';
import { declaredTopics, requestTopic } from '../topics.js';
import kafkajs from 'kafkajs';
import {
  makeSecured,
  opensslMissing,
  securityFor,
  startBroker,
  type RunningBroker,
  type Secured,
} from '@postroom/local';
import { noOwnBroker } from '../testing/kafka-world.js';
import { echo, eventOf, keptLog, requestOf } from '../testing/messages.js';
import { whereThere } from '@postroom/testing';
import { compareRights, grantRights } from './acls.js';
import { kafkaClient, type KafkaSecurity, silent } from './client.js';
import { KafkaBus } from './kafka-bus.js';
import { createTopics } from './topics.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const missing = noOwnBroker ?? opensslMissing();
const prefix = 'secured';
const password = 'a password of the spec';
const allUsers = busApps.map((app) => ({
  user: busUser(app, prefix),
  rights: busRights(app, prefix),
}));

whereThere({ missing }, describe)('brokers with TLS, SCRAM and ACLs', () => {
  let folder: string;
  let secured: Secured;
  let broker: RunningBroker;
  let brokers: readonly string[];
  const open: KafkaBus[] = [];

  const users = ['admin', ...allUsers.map(({ user }) => user)];
  const securityOf = (app: BusApp): Promise<KafkaSecurity> =>
    securityFor(secured, busUser(app, prefix));
  const asAdmin = async () => ({ brokers, security: await securityFor(secured, 'admin') });

  const connect = async (
    app: BusApp,
    options: { readonly sendsRequests?: boolean; readonly security?: KafkaSecurity } = {},
  ): Promise<KafkaBus> => {
    const { sendsRequests = false, security = await securityOf(app) } = options;
    const place = { brokers, security, prefix, log: keptLog(), signatures: null };
    const bus = await KafkaBus.connect({ ...place, instance: `${app}-1`, sendsRequests });
    open.push(bus);
    return bus;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-secured-'));
    const passwords = Object.fromEntries(users.map((user) => [user, password]));
    secured = await makeSecured(folder, { users: passwords, superUser: 'admin' });
    const dataDir = join(folder, 'broker');
    broker = await startBroker({ dataDir, log: () => undefined, secured });
    brokers = [broker.brokers];
    await grantRights(await asAdmin(), allUsers);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
  });
  afterAll(async () => {
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('let the app that prepares them make all topics, and see that no right is missing', async () => {
    const place = { brokers, security: await securityOf('postroom') };
    const declared = declaredTopics({ prefix });
    expect((await createTopics(place, declared)).length).toBe(declared.length);
    expect(await compareRights(place, allUsers)).toEqual({ missing: [], further: [] });
  });

  it('let a service serve, the gateway ask it, and events go from one service to another', async () => {
    const mail = await connect('mail');
    const gateway = await connect('gateway', { sendsRequests: true });
    const webhooks = await connect('webhook-dispatcher');
    const received: string[] = [];
    await mail.handle('mail', echo);
    await webhooks.subscribe('webhooks', ['messaging'], async ({ id }) => void received.push(id));
    await until(() => open.every((bus) => bus.health().ready));
    await expect(gateway.request('mail', requestOf())).resolves.toMatchObject({ status: 200 });
    const commented = eventOf('cnv_1');
    expect(await mail.emit([commented])).toMatchObject({ failure: null });
    await until(() => received.includes(commented.id));
  });

  it('refuse what is not a service’s to write', async () => {
    const directory = await connect('directory');
    const { stored, failure } = await directory.emit([eventOf('cnv_1')]);
    expect(stored).toEqual([]);
    expect(String(failure?.cause)).toMatch(/[Nn]ot authorized to access topics/);
  });

  it('leave a consumer without the right unready, with the reason, and alive', async () => {
    const directory = await connect('directory');
    await directory.subscribe('audit', ['audit'], async () => undefined);
    const problem = (): string => directory.health().problem ?? '';
    await until(() => /authoriz/i.test(problem()));
    expect(problem()).toContain('secured.audit.events');
    expect(directory.health()).toMatchObject({ ready: false, alive: true });
  });

  it('make a service unready when a right is taken, and ready when it is given back', async () => {
    const mail = await connect('mail');
    await mail.handle('mail', echo);
    await until(() => mail.health().ready);
    const place = await asAdmin();
    const admin = kafkaClient({ ...place, instance: 'spec', log: silent }).admin();
    await admin.connect();
    await admin.deleteAcls({
      filters: [
        {
          resourceType: AclResourceTypes.TOPIC,
          resourceName: requestTopic('mail', prefix),
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: `User:${busUser('mail', prefix)}`,
          operation: AclOperationTypes.READ,
          permissionType: AclPermissionTypes.ANY,
        },
      ],
    });
    await admin.disconnect();
    // A broker learns of the deletion from its controller a moment later.
    const rights = await eventually(
      () => compareRights(place, allUsers),
      ({ missing: absent }) => absent.length > 0,
    );
    expect(rights).toEqual({
      missing: ['User:secured-mail may read topic secured.mail.requests'],
      further: [],
    });
    await until(() => /authoriz/i.test(mail.health().problem ?? ''));
    expect(mail.health()).toMatchObject({ ready: false, alive: true });
    await grantRights(place, allUsers);
    await until(() => mail.health().ready);
    expect(mail.health().problem).toBeUndefined();
  });

  it('know a client by its certificate where they ask for one, and let in nobody without', async () => {
    const properties = await readFile(join(folder, 'broker', 'server.properties'), 'utf8');
    const [, address = ''] = /INTERNAL:\/\/([\d.:]+)/.exec(properties) ?? [];
    const pem = await readFile(secured.keystoreFile, 'utf8');
    const ca = await readFile(secured.authorityFile, 'utf8');
    const topicsFor = async (tls: KafkaSecurity['tls']): Promise<string[]> => {
      const place = { brokers: [address], security: { tls, sasl: null } };
      const client = kafkaClient({ ...place, instance: 'spec', log: silent }, { retries: 1 });
      const admin = client.admin();
      await admin.connect();
      try {
        return await admin.listTopics();
      } finally {
        await admin.disconnect();
      }
    };
    await expect(topicsFor({ ca })).rejects.toThrow();
    expect(await topicsFor({ ca, cert: pem, key: pem })).toContain(requestTopic('mail', prefix));
  });

  it.each([
    ['a wrong password', /authentication/i, { sasl: 'wrong' }],
    ['a certificate of an authority that is not trusted', /certificate/i, { tls: {} }],
  ])('say why nobody gets in with %s', async (_name, reason, change) => {
    const security = await securityOf('mail');
    const sasl = security.sasl && { ...security.sasl, ...('sasl' in change && { password: 'no' }) };
    const bus = await connect('mail', {
      security: { tls: 'tls' in change ? {} : security.tls, sasl },
    });
    await bus.handle('mail', echo);
    await until(() => reason.test(bus.health().problem ?? ''));
    expect(bus.health()).toMatchObject({ ready: false, alive: true });
  });
});
