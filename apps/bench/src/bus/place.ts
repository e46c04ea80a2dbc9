import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type RunningBroker } from '@postroom/local';
import { freePort } from '@postroom/local';
import { bareTopics } from '../carriers/bare-kafka.js';
import type { Place } from '../carriers/carrier.js';
import { makeBusTopics } from '../carriers/kafka-bus.js';
import { makeTopics } from '../carriers/kafka-client.js';
import { nestTopics } from '../carriers/nest.js';

/** A Kafka broker and a NATS server of the bench's own, the latter where it is installed. */
export interface BenchPlace {
  readonly place: Place;
  close(): Promise<void>;
}

interface Nats {
  readonly url: string;
  stop(): Promise<void>;
}

const natsProgram = 'nats-server';
const natsReadyMs = 10_000;

export async function openPlace(say: (text: string) => void): Promise<BenchPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-'));
  let broker: RunningBroker | undefined;
  let nats: Nats | undefined;
  const close = async (): Promise<void> => {
    await nats?.stop();
    await broker?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    broker = await startBroker({ dataDir: folder, log: say, longLived: true });
    const { brokers } = broker;
    await makeTopics(brokers, [...bareTopics, ...nestTopics]);
    await makeBusTopics(brokers);
    nats = await startNats();
    if (!nats) say(`C: without NATS, there is no ${natsProgram} here`);
    return { place: { brokers, nats: nats?.url ?? null, address: null }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** None where the program is not installed. */
async function startNats(): Promise<Nats | undefined> {
  const port = await freePort();
  const child = spawn(natsProgram, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const missing = await Promise.race([
    once(child, 'error').then(() => true),
    once(child, 'spawn').then(() => false),
  ]).catch(() => true);
  if (missing) return undefined;
  const endWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithUs);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const deadline = performance.now() + natsReadyMs;
  while (!(await accepts(port))) {
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${natsProgram} does not become ready`);
    }
    await sleep(50);
  }
  return { url: `nats://127.0.0.1:${port}`, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
