import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@postroom/testing/until';
import { declaredTopics, type DeclaredTopic } from '../topics.js';
import { brokerMissing, startBroker, type RunningBroker } from '@postroom/local';
import { kafkaClient } from '../kafka/client.js';
import { KafkaBus, type KafkaBusOptions } from '../kafka/kafka-bus.js';
import { listDeadLetters } from '../kafka/dead-letter-replay.js';
import { createTopics } from '../kafka/topics.js';
import { consumers, type World, type WorldOptions } from './conformance.js';
import { keptLog } from './messages.js';

/** Why specs that start and kill a broker cannot run here; null when they can. */
export const noOwnBroker = brokerMissing();

/** Brokers that run already. */
const given = process.env['KAFKA_BROKERS']?.trim() || null;

/** Why specs over Kafka cannot run here; null when they can. */
export const noBroker = given === null ? noOwnBroker : null;

/** A broker for the specs of one file. */
export interface SpecBroker {
  readonly brokers: readonly string[];
  stop(): Promise<void>;
}

/** The brokers of KAFKA_BROKERS, or one of our own. */
export async function brokerForSpecs(): Promise<SpecBroker> {
  if (given !== null) return { brokers: given.split(','), stop: () => Promise.resolve() };
  const { broker, remove } = await ownBroker();
  return { brokers: [broker.brokers], stop: remove };
}

/** A broker that may be killed. */
export async function ownBroker(): Promise<{
  readonly broker: RunningBroker;
  remove(): Promise<void>;
}> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postroom-bus-'));
  const broker = await startBroker({ dataDir, log: () => undefined });
  const remove = async (): Promise<void> => {
    await broker.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { broker, remove };
}

let installations = 0;

/** Topics and buses under a prefix of their own. */
export class Installation {
  readonly prefix = `spec-${process.pid}-${Date.now()}-${(installations += 1)}`;
  readonly declared: readonly DeclaredTopic[];
  readonly log = keptLog();
  private readonly open: KafkaBus[] = [];

  /** @param events the topics of events that it has */
  constructor(
    readonly brokers: readonly string[],
    events = /messaging|contacts/,
  ) {
    const { prefix } = this;
    this.declared = declaredTopics({ prefix, consumers }).filter(
      ({ kind, name }) => kind !== 'events' || events.test(name),
    );
  }

  async create(partitions = 3): Promise<this> {
    await createTopics(this, this.declared, { partitions, replicationFactor: 1 });
    return this;
  }

  async bus(instance: string, options: Partial<KafkaBusOptions> = {}): Promise<KafkaBus> {
    const { brokers, prefix, declared, log } = this;
    const bus = await KafkaBus.connect({
      ...{ brokers, prefix, declared, log, instance, signatures: null },
      ...options,
    });
    this.open.push(bus);
    return bus;
  }

  async ready(): Promise<void> {
    await until(() => this.open.every((bus) => bus.health().ready));
  }

  async close(): Promise<void> {
    await Promise.all(this.open.splice(0).map((bus) => bus.close()));
    // Brokers that run already outlive the specs; a thousand old topics would slow them down.
    const admin = kafkaClient({ ...this, instance: 'spec' }).admin();
    await admin.connect();
    const there = new Set(await admin.listTopics());
    const topics = this.declared.map(({ name }) => name).filter((name) => there.has(name));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  }
}

/** Two instances on Kafka, a caller and a server. */
export async function openKafkaWorld(
  brokers: readonly string[],
  options: WorldOptions,
): Promise<World> {
  const installation = await new Installation(brokers).create();
  const { prefix, log } = installation;
  return {
    caller: await installation.bus('caller', options),
    server: await installation.bus('server', options),
    ready: () => installation.ready(),
    deadLetters: async (consumer) =>
      (await listDeadLetters({ brokers, prefix, log }, consumer)).map(({ headers, cause }) => ({
        id: headers['id'] ?? '',
        cause,
      })),
    dispose: () => installation.close(),
  };
}
