import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';
import { SetupError } from '@postroom/service/setup-error';
import { brokerMissing, type BrokerOptions, type RunningBroker, startBroker } from '../index.js';
import { inFullRun } from '../testing/in-full-run.js';

// A Java program that starts and stops, on a machine that others are busy on.

const missing = brokerMissing();
// `whereThere` would say why, but its package builds on this one; `npm run test:kafka` says it.
const withBroker = missing === null ? describe : describe.skip;

const folders: string[] = [];
const brokers: RunningBroker[] = [];
const holders: ChildProcess[] = [];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'postroom-broker-é '));
  folders.push(made);
  return made;
}

async function start(options: Partial<BrokerOptions> & { dataDir: string }) {
  const lines: string[] = [];
  const broker = await startBroker({ log: (line) => void lines.push(line), ...options });
  brokers.push(broker);
  return { ...broker, lines };
}

const clientOf = (address: string): Kafka =>
  new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });

async function makeTopic(address: string, topic: string): Promise<void> {
  const admin = clientOf(address).admin();
  await admin.connect();
  const isMade = (): Promise<boolean> =>
    admin.createTopics({ topics: [{ topic }], waitForLeaders: true }).then(
      () => true,
      () => false,
    );
  // A broker that has stood still for two seconds refuses topics until its next heartbeat.
  while (!(await isMade())) await sleep(100);
  await admin.disconnect();
}

/** Without the broker's own. */
async function topicsOf(address: string): Promise<string[]> {
  const admin = clientOf(address).admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  await admin.disconnect();
  return topics;
}

/** Starts a broker from a process of its own; `said` is its address, or why it was refused. */
function hold(args: string[], path = process.env['PATH']) {
  const script = fileURLToPath(new URL('fixtures/hold-broker.mjs', import.meta.url));
  const holder = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: path },
  });
  holders.push(holder);
  const said = once(holder.stdout, 'data').then(([line]) => String(line).trim());
  return { holder, said };
}

function isListening(address: string): Promise<boolean> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

afterEach(async () => {
  for (const broker of brokers.splice(0)) await broker.stop();
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
  for (const made of folders.splice(0)) {
    await rm(made, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

withBroker('startBroker', () => {
  it('accepts clients when it says so, and keeps its data over stop, kill and restart', async () => {
    const dataDir = await folder();
    const broker = await start({ dataDir });
    await makeTopic(broker.brokers, 'kept');
    expect(await topicsOf(broker.brokers)).toEqual(['kept']);
    await broker.kill();
    expect(await isListening(broker.brokers)).toBe(false);
    await broker.restart();
    expect(await topicsOf(broker.brokers)).toEqual(['kept']);
    await broker.stop();
    await broker.stop();
    expect(await isListening(broker.brokers)).toBe(false);
    expect(broker.lines.filter((line) => !line.startsWith('Fetching'))).toEqual([]);

    const next = await start({ dataDir });
    expect(await topicsOf(next.brokers)).toEqual(['kept']);
  });

  inFullRun(it)('makes no topic that nobody declared', async () => {
    const { brokers: address } = await start({ dataDir: await folder() });
    const producer = clientOf(address).producer();
    await producer.connect();
    const sent = producer.send({ topic: 'unheard-of', messages: [{ value: 'x' }] });
    await expect(sent).rejects.toThrow(/does not host this topic/);
    await producer.disconnect();
    expect(await topicsOf(address)).toEqual([]);
  });

  inFullRun(it)(
    'begins anew where an earlier start was cut off while it made the storage',
    async () => {
      const dataDir = await folder();
      await mkdir(join(dataDir, 'data'), { recursive: true });
      await writeFile(join(dataDir, 'data', 'bootstrap.checkpoint'), 'half');
      const broker = await start({ dataDir });
      expect(await topicsOf(broker.brokers)).toEqual([]);
    },
  );

  it('ends when the process that started it is killed', async () => {
    const { holder, said } = hold([await folder()]);
    const address = await said;
    expect(await isListening(address)).toBe(true);
    holder.kill('SIGKILL');
    const deadline = performance.now() + 240_000;
    while ((await isListening(address)) && performance.now() < deadline) await sleep(50);
    expect(await isListening(address)).toBe(false);
  });

  inFullRun(it)('says so when it ends by itself', async () => {
    const dataDir = await folder();
    const broker = await start({ dataDir });
    await rm(join(dataDir, 'data'), { recursive: true });
    const admin = clientOf(broker.brokers).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'lost' }], timeout: 500 }).catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
    const deadline = performance.now() + 240_000;
    while (broker.lines.length === 0 && performance.now() < deadline) await sleep(50);
    expect(broker.lines).toEqual([expect.stringMatching(/ended by itself; see .*broker\.log/)]);
  });

  it('refuses a port that is in use, and says which', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const refused = start({ dataDir: await folder(), port });
    await expect(refused).rejects.toThrow(`Port ${port} is in use`);
    await expect(refused).rejects.toThrow(SetupError);
    other.close();
  });
});

describe('a machine that cannot run a broker', () => {
  /** A start where nothing is installed but what is given: programs by name, as shell scripts. */
  async function startWith(programs: Record<string, string>, cacheDir: string): Promise<string> {
    const bin = await folder();
    const all = { sh: 'exec /bin/sh "$@"', ...programs };
    for (const [name, script] of Object.entries(all)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    return hold([await folder(), cacheDir], bin).said;
  }
  const java = (version: string): string => `echo 'openjdk version "${version}"' >&2`;

  it.each([
    ['no Java', {}, /^refused: Java 17 or later was not found/],
    [
      'Java 8',
      { java: java('1.8.0_402') },
      /"java" is version 8\. Install it, or set KAFKA_BROKERS/,
    ],
    ['Java 11', { java: java('11.0.2') }, /"java" is version 11\./],
    ['no Maven', { java: java('17.0.15') }, /^refused: Maven was not found/],
  ])('says what is missing and what to do: %s', async (_name, programs, said) => {
    expect(await startWith(programs, await folder())).toMatch(said);
  });

  it('passes on what Maven says, and keeps nothing of a fetch that failed', async () => {
    const cacheDir = await folder();
    const mvn = 'echo "[ERROR] no such artifact"; exit 1';
    const said = await startWith({ java: java('17.0.1'), mvn }, cacheDir);
    expect(said).toMatch(/could not fetch.*\n.*no such artifact/);
    expect(await readdir(cacheDir)).toEqual([]);
  });
});
