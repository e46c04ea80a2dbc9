import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventKeys, newEventKey, publicEventKey, readCallerKey } from '@postroom/access';
import {
  type BusLog,
  createTopics,
  declaredTopics,
  type EventRecord,
  KafkaBus,
} from '@postroom/bus';
import { brokerMissing, startBroker, type RunningBroker } from '@postroom/local';
import { conversations, mailboxes, newId, operationsOf, type Operation } from '@postroom/contracts';
import { createLog } from '@postroom/service';
import { whereThere } from '@postroom/testing';
import { encryptionsOf } from './encrypted-calls.js';
import { Engine } from './engine.js';
import { OperationClient } from './operation-client.js';
import { OperationServer } from './operation-server.js';
import { keyCaller } from './testing/ledger.js';

const log = createLog({ level: 'silent', format: 'json' });
const newCallerKey = (): string => randomBytes(32).toString('base64');

/** The key settings of a process: a service, or its caller. */
interface Keys {
  readonly callerKey: string;
  readonly eventKey: string;
  readonly eventPublicKeys: readonly string[];
}

interface Process {
  readonly bus: KafkaBus;
  stop(): Promise<void>;
}

/** One request in this time: fifty a second. */
const everyMs = 20;
const stepMs = 500;

/**
 * The steps of docs/operating.md on a real Kafka: processes of the mail service that answer and publish, and
 * of who asks them and reads their events, are replaced one after the other under load.
 */
whereThere({ missing: brokerMissing() }, it)(
  'the keys of callers and of events are changed without a refused request or a lost event',
  async () => {
    const place = { brokers: [broker.brokers], prefix: 'changed' };
    const declared = declaredTopics({ prefix: place.prefix });
    await createTopics(place, declared, { partitions: 2, replicationFactor: 1 });
    const seen = new Set<string>();
    let unverified = 0;

    const connect = (instance: string, keys: Keys, name: 'mail' | 'webhooks') =>
      KafkaBus.connect({
        ...place,
        instance: `${instance}-${randomUUID()}`,
        log: log satisfies BusLog,
        signatures: new EventKeys(name, keys.eventKey, keys.eventPublicKeys),
        onUnverified: () => (unverified += 1),
      });

    const startMail = async (keys: Keys): Promise<Process> => {
      const bus = await connect('mail', keys, 'mail');
      const key = readCallerKey(keys.callerKey);
      const engine = new Engine({ database: null, callerKey: key, log });
      const server = new OperationServer('mail', bus, engine, encryptionsOf({ mail: key }));
      for (const { id } of operationsOf('mail')) server.addHandler(id, () => Promise.resolve({}));
      await new Promise<void>((resolve, reject) =>
        server.listen((error?: unknown) => {
          if (error) reject(new Error('mail does not listen', { cause: error }));
          else resolve();
        }),
      );
      return {
        bus,
        stop: async () => {
          await server.close();
          await bus.close();
        },
      };
    };

    const startAsker = async (keys: Keys): Promise<Process & { client: OperationClient }> => {
      const bus = await connect('asker', keys, 'webhooks');
      await bus.subscribe('webhooks', ['messaging'], async ({ id }) => void seen.add(id));
      const client = new OperationClient(bus, { mail: readCallerKey(keys.callerKey) });
      return { bus, client, stop: () => bus.close() };
    };

    const ready = async ({ bus }: Process): Promise<void> => {
      const deadline = performance.now() + 240_000;
      while (!bus.health().ready && performance.now() < deadline) await sleep(20);
      expect(bus.health().ready).toBe(true);
    };

    const [older, newer] = [newCallerKey(), newCallerKey()];
    const [olderEvents, newerEvents, readerEvents] = [newEventKey(), newEventKey(), newEventKey()];
    const publicKeys = (...mail: string[]): string[] => [
      ...mail.map((key) => `mail:${publicEventKey(key)}`),
      `webhooks:${publicEventKey(readerEvents)}`,
    ];
    /** Callers' keys and the mail service's events: known, used, and forgotten. */
    const steps = [
      { callerKey: older, events: olderEvents, known: publicKeys(olderEvents) },
      {
        callerKey: `${older},${newer}`,
        events: olderEvents,
        known: publicKeys(olderEvents, newerEvents),
      },
      {
        callerKey: `${newer},${older}`,
        events: newerEvents,
        known: publicKeys(olderEvents, newerEvents),
      },
      { callerKey: newer, events: newerEvents, known: publicKeys(newerEvents) },
    ].map(({ callerKey, events, known }) => ({
      mail: { callerKey, eventKey: events, eventPublicKeys: known },
      asker: { callerKey, eventKey: readerEvents, eventPublicKeys: known },
    }));
    const [first, ...changes] = steps;
    if (!first) throw new Error('there are steps');
    let mail = await startMail(first.mail);
    let asker = await startAsker(first.asker);
    await ready(mail);
    await ready(asker);

    const asked: Promise<number>[] = [];
    const emitted: string[] = [];
    const ask = async (operation: Operation): Promise<number> => {
      const { client } = asker;
      const reply = await client.call(
        operation,
        keyCaller(),
        { id: 'cnv_1', mailbox: 'support@acme.test' },
        // Kafka's groups take their time on a busy machine, and none of it is about keys.
        { requestId: randomUUID(), timeoutMs: 60_000 },
      );
      return reply.status;
    };
    const emit = async ({ bus }: Process): Promise<void> => {
      const id = newId('evn');
      const event: EventRecord = {
        ...{ id, type: 'conversation.assigned', tenantId: 'ten_1', resource: id },
        envelope: '{}',
      };
      const { failure } = await bus.emit([event]);
      if (!failure) emitted.push(id);
    };
    const load = new AbortController();
    const loaded = (async () => {
      while (!load.signal.aborted) {
        const operation = asked.length % 2 === 0 ? conversations.get : mailboxes.list;
        asked.push(ask(operation));
        asked.at(-1)?.catch(() => undefined);
        void emit(mail).catch(() => undefined);
        await sleep(everyMs);
      }
    })();

    expect([conversations.get, mailboxes.list].map((one) => one.encrypted)).toEqual([false, true]);
    for (const [at, change] of changes.entries()) {
      // In either order: what matters is that all have one step behind them before the next.
      const replaceMail = async (): Promise<void> => {
        const before = mail;
        mail = await startMail(change.mail);
        await ready(mail);
        await before.stop();
      };
      const replaceAsker = async (): Promise<void> => {
        const before = asker;
        const after = await startAsker(change.asker);
        await ready(after);
        asker = after;
        await before.stop();
      };
      for (const replace of at % 2 === 0
        ? [replaceMail, replaceAsker]
        : [replaceAsker, replaceMail]) {
        await replace();
        await sleep(stepMs);
      }
    }
    load.abort();
    await loaded;
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter((one) => one.status === 'rejected' || one.value !== 200);
    expect(refused).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
    const missing = () => emitted.filter((id) => !seen.has(id));
    const deadline = performance.now() + 240_000;
    while (missing().length > 0 && performance.now() < deadline) await sleep(50);
    expect(missing()).toEqual([]);
    expect(unverified).toBe(0);

    // The old key is worth nothing any more.
    const late = new OperationClient(asker.bus, { mail: readCallerKey(older) });
    const call = late.call(
      conversations.get,
      keyCaller(),
      { id: 'cnv_1', mailbox: 'support@acme.test' },
      { requestId: randomUUID(), timeoutMs: 3_000 },
    );
    await expect(call).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await asker.stop();
    await mail.stop();
  },
  300_000,
);

let folder: string;
let broker: RunningBroker;
beforeAll(async () => {
  if (brokerMissing() !== null) return;
  folder = await mkdtemp(join(tmpdir(), 'postroom-key-change-'));
  broker = await startBroker({ dataDir: folder, log: () => undefined });
});
afterAll(async () => {
  if (brokerMissing() !== null) return;
  await broker.stop();
  await rm(folder, { recursive: true, force: true });
});
