import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type RunningBroker } from '@postroom/local';
import { announceTopology, kafkaBrokers } from '../config.js';
import { send } from '../http.js';
import { isListening } from '../ports.js';
import { type CommandResult, type Instance, type Product, readProduct } from '../product.js';
import { ProductProcess } from '../product-process.js';
import { type OwnKey, Workplace } from '../workplace.js';
import type { Target } from './load.js';

const conversationCount = 40;
const readyWithinMs = 60_000;

/** A cluster of the product on a broker that a fault may kill, and a mailbox to work in. */
export class World implements Target {
  /** Gateways that are about to be killed and receive no more requests. */
  private readonly avoided = new Set<string>();
  private instancesNow: readonly Instance[] = [];

  private constructor(
    private readonly folder: string,
    /** Undefined where an existing Kafka is used. */
    readonly broker: RunningBroker | null,
    readonly kafka: { readonly brokers: string; readonly prefix: string },
    private readonly cluster: ProductProcess,
    readonly api: OwnKey,
    readonly mailbox: string,
    readonly conversations: readonly string[],
  ) {}

  static async open(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-faults-'));
    const given = kafkaBrokers();
    let cluster: ProductProcess | undefined;
    let broker: RunningBroker | null = null;
    try {
      if (given === undefined)
        broker = await startBroker({ dataDir: folder, log: () => undefined });
      const kafka = { brokers: broker?.brokers ?? given ?? '', prefix: `faults-${process.pid}` };
      announceTopology('cluster');
      cluster = await ProductProcess.prepare({
        KAFKA_BROKERS: kafka.brokers,
        KAFKA_PREFIX: kafka.prefix,
      });
      await cluster.restart();
      const work = await prepareWork(cluster);
      const world = new World(
        folder,
        broker,
        kafka,
        cluster,
        work.api,
        work.mailbox,
        work.conversations,
      );
      await world.look();
      return world;
    } catch (error) {
      await cluster?.remove();
      await broker?.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get apiKey(): string {
    return this.api.key;
  }

  get instances(): readonly Instance[] {
    return this.instancesNow;
  }

  get product(): Product {
    return this.cluster.product;
  }

  get demoFile(): string {
    return this.cluster.demoFile;
  }

  /** Runs one of the operator's commands on it. */
  command(...args: readonly string[]): Promise<CommandResult> {
    return this.cluster.command(...args);
  }

  gateways(): ReadonlyMap<string, string> {
    return new Map(
      this.instancesNow.flatMap(({ instance, baseUrl }) =>
        baseUrl === undefined || this.avoided.has(instance) ? [] : [[instance, baseUrl]],
      ),
    );
  }

  /**
   * Ends one process of the cluster, and waits until its replacement is ready.
   * @returns when the signal was sent
   */
  async replace(instance: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    const { pid, healthUrl } = this.find(instance);
    const sentMs = performance.now();
    process.kill(pid, signal);
    this.avoided.add(instance);
    const deadlineMs = sentMs + readyWithinMs;
    while (this.find(instance).pid === pid || !(await isReady(healthUrl))) {
      if (performance.now() > deadlineMs) throw new Error(`${instance} does not come back`);
      await sleep(100);
      await this.look();
    }
    this.avoided.delete(instance);
    return sentMs;
  }

  /** Stops it. @returns what is left of it */
  async close(): Promise<readonly string[]> {
    const { code, leftovers } = await this.cluster.stop();
    await this.cluster.remove();
    await this.broker?.stop();
    await rm(this.folder, { recursive: true, force: true });
    const port = Number(this.kafka.brokers.split(':').at(-1));
    const left = [...leftovers];
    if (code !== 0) left.push(`exit code ${code ?? 'none'}`);
    if (this.broker && (await isListening(port))) left.push(`port ${port}`);
    if (existsSync(this.folder)) left.push(this.folder);
    return left;
  }

  /** The last output of the cluster. */
  output(): string {
    return this.cluster.output();
  }

  private async look(): Promise<void> {
    const { instances } = await readProduct(this.cluster.demoFile);
    this.instancesNow = instances ?? [];
  }

  private find(instance: string): Instance {
    const found = this.instancesNow.find((one) => one.instance === instance);
    if (!found) throw new Error(`no instance ${instance}`);
    return found;
  }
}

async function prepareWork(cluster: ProductProcess) {
  const place = await Workplace.open('acme', cluster.product);
  const mailbox = await place.mailbox();
  const api = await place.keyFor(mailbox);
  const conversations: string[] = [];
  for (let i = 0; i < conversationCount; i += 1) {
    conversations.push((await place.receive(api, mailbox)).id);
  }
  return { mailbox, api, conversations };
}

async function isReady(healthUrl: string): Promise<boolean> {
  const answer = await send(`${healthUrl}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}
