// tags: own, cluster
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventKeys, publicEventKey } from '@postroom/access';
import {
  busApps,
  type BusLog,
  type EventRecord,
  KafkaBus,
  type RecordSignatures,
} from '@postroom/bus';
import {
  brokerMissing,
  makeSecured,
  opensslMissing,
  securityFor,
  startBroker,
  type RunningBroker,
  type Secured,
} from '@postroom/local';
import { busUser, type OutgoingType } from '@postroom/contracts';
import { whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { McpClient } from './mcp-client.js';
import { ProductProcess } from './product-process.js';
import { type OwnKey, Workplace } from './workplace.js';
import { conversationOf, itemsOf, recordOf } from './wire.js';

const missing = brokerMissing() ?? opensslMissing();
const password = 'a password of the spec';
const silent = (): void => undefined;
const log: BusLog = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Every process signs in as its own user, who has the rights that `postroom kafka acls apply` gave and no
 * other: a right that is missing from the registry shows as something that does not arrive.
 */
whereThere({ missing }, describe)('a cluster on secured brokers', () => {
  let folder: string;
  let secured: Secured;
  let broker: RunningBroker;
  let running: ProductProcess;
  let admin: ProductProcess;
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-secured-'));
    const users = Object.fromEntries(
      ['admin', ...busApps.map((app) => busUser(app))].map((user) => [user, password]),
    );
    secured = await makeSecured(folder, { users, superUser: 'admin' });
    broker = await startBroker({ dataDir: join(folder, 'kafka'), log: () => undefined, secured });
    const settings = {
      KAFKA_BROKERS: broker.brokers,
      KAFKA_PREFIX: 'postroom',
      KAFKA_TLS: 'on',
      KAFKA_TLS_CA_FILE: secured.authorityFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_PASSWORD: password,
    };
    admin = await ProductProcess.prepare({ ...settings, KAFKA_SASL_USERNAME: 'admin' });
    expect(await admin.command('kafka', 'acls', 'apply')).toMatchObject({ code: 0 });
    running = await ProductProcess.prepare(settings);
    await running.restart();
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    const scopes = ['conversations', 'tasks'].flatMap((what) => [`read:${what}`, `write:${what}`]);
    api = await place.keyFor(mailbox, { scopes, member: place.tenant.member.email });
  });

  afterAll(async () => {
    await running.remove();
    await admin.remove();
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lacks no right, and has none that it does not need', async () => {
    expect(await running.command('kafka', 'acls', 'check')).toEqual({
      code: 0,
      stdout: '0 missing, 0 not needed.\n',
      stderr: '',
    });
  });

  it('takes mail in, is written to, and shows the events of it in the feed and in the audit', async () => {
    const { id } = await place.receive(api, mailbox);
    const comment = { mailbox, text: 'Over TLS.' };
    await api.post(`/v1/conversations/${id}/comment`, comment, randomUUID());
    await until(async () => {
      const { events } = recordOf(await api.get('/v1/events', { limit: 500 }));
      const types = (events as { type: string; resource: { id: string } }[])
        .filter(({ resource }) => resource.id === id)
        .map(({ type }) => type);
      return ['conversation.received', 'conversation.commented'].every((type) =>
        types.includes(type),
      );
    });
    await until(async () => {
      const entries = itemsOf(await place.settings.get('/audit'));
      return JSON.stringify(entries).includes('conversations.comment');
    });
  });

  it('tells the mail service what scheduling knows of a conversation', async () => {
    const { id } = await place.receive(api, mailbox);
    const title = `Task ${randomUUID()}`;
    expect((await api.post('/v1/tasks', { title, threadId: id })).status).toBe(201);
    await until(async () => {
      const whole = conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));
      return JSON.stringify(whole).includes(title);
    });
  });

  it('answers an agent over MCP', async () => {
    const client = new McpClient(running.product, api.key);
    const args = { query: 'x', mailbox };
    expect(await client.call('svc_search', args)).toMatchObject({ isError: false });
  });

  it('lists dead letters as the operator', async () => {
    for (const consumer of ['mail', 'audit']) {
      const listed = await running.command('dead-letters', 'list', consumer);
      expect(listed).toEqual({ code: 0, stdout: '', stderr: '' });
    }
  });

  describe('whoever may write to the brokers', () => {
    const marker = randomUUID();

    /** With every right there is, and the keys of a service that has been taken over, or none. */
    const publish = async (
      event: EventRecord,
      signatures: RecordSignatures | null = null,
    ): Promise<void> => {
      const bus = await KafkaBus.connect({
        ...{ brokers: [broker.brokers], prefix: 'postroom', instance: 'forger', log, signatures },
        security: await securityFor(secured, 'admin'),
        sendsRequests: false,
      });
      expect(await bus.emit([event])).toMatchObject({ failure: null });
      await bus.close();
    };
    const keysOf = async (service: 'mail'): Promise<EventKeys> => {
      const file = join(dirname(running.demoFile), 'installation.json');
      const { eventKeys } = JSON.parse(await readFile(file, 'utf8')) as {
        readonly eventKeys: Readonly<Record<'mail', string>>;
      };
      const own = `${service}:${publicEventKey(eventKeys[service])}`;
      return new EventKeys(service, eventKeys[service], [own]);
    };
    const record = (type: OutgoingType, resource: string, envelope: object): EventRecord => ({
      id: `evn_${randomUUID()}`,
      tenantId: place.tenant.id,
      type,
      resource,
      envelope: JSON.stringify(envelope),
    });
    const event = (type: 'conversation.received' | 'contact.created'): EventRecord => {
      const made = record(type, marker, {});
      const facts = { occurredAt: new Date().toISOString(), apiVersion: 'v1', sequence: 1 };
      const who = { actor: { type: 'system', id: null }, source: 'inbound' };
      const what = { resource: { type: 'conversation', id: marker }, data: {}, previous: null };
      const { id, tenantId } = made;
      return {
        ...made,
        envelope: JSON.stringify({ id, type, tenantId, ...facts, ...who, ...what }),
      };
    };
    const audited = (action: string): EventRecord =>
      record('audit.recorded', 'audit', {
        occurredAt: new Date().toISOString(),
        records: [
          {
            ...{ id: `aud_${randomUUID()}`, at: new Date().toISOString(), action },
            ...{ actorType: 'member', actorId: marker, source: 'app' },
            ...{ subjectId: marker, requestId: null },
          },
        ],
      });
    const parked = async (consumer: string): Promise<string[]> => {
      const { stdout } = await running.command('dead-letters', 'list', consumer);
      return stdout.split('\n').filter((line) => line.includes('UnverifiedRecord'));
    };
    const counted = async (): Promise<number> => {
      const pages = await Promise.all(
        (running.product.instances ?? []).map(async ({ healthUrl }) =>
          (await fetch(`${healthUrl}/metrics`)).text(),
        ),
      );
      return pages
        .flatMap((page) => /^postroom_bus_unverified_total (\d+)$/m.exec(page)?.[1] ?? [])
        .reduce((sum, count) => sum + Number(count), 0);
    };

    it('can invent neither an event nor an audit record, nor can a service another’s', async () => {
      const mail = await keysOf('mail');
      await publish(event('conversation.received'));
      await publish(event('contact.created'), mail);
      await publish(audited('conversations.comment'));
      await publish(audited('contacts.create'), mail);
      await publish(audited('sendSwitch.set'), mail);
      await until(async () => (await parked('webhooks')).length === 2);
      await until(async () => (await parked('audit')).length === 3);
      // The stream of members reads what becomes of conversations, mail what becomes of contacts.
      await until(async () => (await parked('stream')).length === 1);
      await until(async () => (await parked('mail-contacts')).length === 1);
      expect(await counted()).toBe(7);
      const feed = await api.get('/v1/events', { limit: 500 });
      expect(JSON.stringify(recordOf(feed))).not.toContain(marker);
      expect(JSON.stringify(itemsOf(await place.settings.get('/audit')))).not.toContain(marker);
      expect(recordOf(await place.settings.get('/audit/verify'))).toMatchObject({ ok: true });
    });
  });
});
