import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppName } from '@postroom/contracts';
import { Client } from 'pg';
import { until } from '@postroom/testing/until';
import { announceNodeOptions, topology } from '../config.js';
import { rowsOf } from '../drills/stored.js';
import { send } from '../http.js';
import { descendantsOf } from '../process-tree.js';
import { type Instance, readProduct } from '../product.js';
import type { ProductProcess } from '../product-process.js';

const heldMs = 8_000;

/** A product that faults are injected into, from outside. */
export class ProductUnderTest {
  private constructor(
    readonly running: ProductProcess,
    /** URL of an administrator of its database, which has another port after each start of the product. */
    public adminUrl: string,
  ) {}

  static async of(running: ProductProcess): Promise<ProductUnderTest> {
    return new ProductUnderTest(running, await administratorOf(running));
  }

  command(...args: readonly string[]): ReturnType<ProductProcess['command']> {
    return this.running.command(...args);
  }

  /** Kills a process of a service, which the product starts again. */
  async kill(app: AppName): Promise<void> {
    const before = (await this.instances()).filter(({ service }) => service === app);
    const { pid = 0 } = before[Math.floor(Math.random() * before.length)] ?? {};
    process.kill(pid, 'SIGKILL');
    await until(async () => (await this.instances()).every((one) => one.pid !== pid));
  }

  /** The end of PostgreSQL that a signal asks for; the product starts its server again. */
  async endPostgres(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const [row] = await rowsOf<{ file: string }>(
      this.adminUrl,
      `SELECT pg_read_file('postmaster.pid') AS file`,
    );
    process.kill(Number.parseInt(row?.file ?? '', 10), signal);
  }

  /** Stops and goes on with the broker's process. */
  async pauseBroker(): Promise<void> {
    const pids = await descendantsOf(this.running.launched.pid ?? 0, 'java');
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await sleep(heldMs);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }

  /** Takes every connection that PostgreSQL has, those of the product too. */
  async exhaustConnections(): Promise<void> {
    const clients: Client[] = [];
    try {
      for (let refused = false; !refused;) {
        const client = new Client({ connectionString: this.adminUrl });
        client.on('error', () => undefined);
        refused = await client.connect().then(
          () => !clients.push(client),
          () => true,
        );
      }
      await clients[0]?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'postroom%'`,
      );
      await sleep(heldMs);
    } finally {
      for (const client of clients) await client.end();
    }
  }

  /** Runs statements at the beginning of a fault, and others at its end, on one connection. */
  async between(begin: string, end: string): Promise<void> {
    const client = new Client({ connectionString: this.adminUrl });
    await client.connect();
    try {
      await client.query(begin);
      await sleep(heldMs);
      await client.query(end);
    } finally {
      await client.end();
    }
  }

  /** Runs the product with a program loaded into each of its processes before anything else, for a while. */
  async preloaded(program: string): Promise<void> {
    announceNodeOptions([`--import=data:text/javascript,${encodeURIComponent(program)}`]);
    try {
      await this.running.stop();
      await this.running.restart();
      await sleep(heldMs);
    } finally {
      announceNodeOptions([]);
      await this.running.stop();
      await this.running.restart();
    }
  }

  /** Waits until every process is ready. */
  async recovered(): Promise<void> {
    await until(async () => {
      const instances = await this.instances();
      const urls = instances.map(({ healthUrl }) => `${healthUrl}/readyz`);
      const asked = [this.running.readyUrl, ...urls].map((url) => send(url));
      const answers = await Promise.all(asked).catch(() => [{ status: 0 }]);
      return answers.every(({ status }) => status === 200);
    });
    this.adminUrl = await administratorOf(this.running);
  }

  private async instances(): Promise<readonly Instance[]> {
    return (await readProduct(this.running.demoFile)).instances ?? [];
  }
}

const administratorOf = async ({ dataFolder }: ProductProcess): Promise<string> => {
  const file = await readFile(join(dataFolder, 'database.json'), 'utf8');
  return (JSON.parse(file) as { adminUrl: string }).adminUrl;
};

/** The tables that requests and mail of the traffic write to. */
const written = ['mail.comments', 'mail.messages', 'directory.contacts', 'scheduling.tasks'];

const fill = `
  CREATE FUNCTION public.no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  ${written.map((table) => `CREATE TRIGGER no_room BEFORE INSERT ON ${table} EXECUTE FUNCTION public.no_room();`).join('\n')}`;
const empty = `DROP FUNCTION public.no_room CASCADE`;

/** Moves the clock of a Node process. */
const clock = (byMs: number): string => `
  const now = Date.now.bind(Date);
  Date.now = () => now() + ${byMs};
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, of) => Reflect.construct(target, args.length ? args : [Date.now()], of),
    apply: () => new Date().toString(),
  });`;

/** Has a Node process write to brokers in pieces, each after a delay, and read from them in pieces. */
const wire = (delayMs: number, pieceBytes: number): string => `
  import { Socket } from 'node:net';
  const ports = new Set((process.env.KAFKA_BROKERS ?? '').split(',').map((one) => Number(one.split(':').at(-1))));
  const { _write: write, push } = Socket.prototype;
  const pieces = (chunk) => Array.from({ length: Math.ceil(chunk.length / ${pieceBytes}) }, (_, i) =>
    chunk.subarray(i * ${pieceBytes}, (i + 1) * ${pieceBytes}));
  Socket.prototype._writev = undefined;
  Socket.prototype._write = function (chunk, encoding, done) {
    if (!ports.has(this.remotePort)) return write.call(this, chunk, encoding, done);
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk, encoding);
    const left = pieces(bytes);
    const next = (error) => {
      const piece = left.shift();
      if (error || !piece) return done(error);
      setTimeout(() => write.call(this, piece, 'buffer', next), ${delayMs});
    };
    next();
  };
  Socket.prototype.push = function (chunk, encoding) {
    if (!chunk || !ports.has(this.remotePort)) return push.call(this, chunk, encoding);
    return pieces(chunk).reduce((_, piece) => push.call(this, piece), true);
  };`;

type Injections = Readonly<Record<string, (underTest: ProductUnderTest) => Promise<void>>>;

const apps = ['gateway', 'mail', 'directory', 'scheduling', 'webhook-dispatcher', 'mcp'] as const;

/** By name, a fault that only a product of several processes has. */
const ofCluster: Injections = {
  ...Object.fromEntries(apps.map((app) => [`kill-${app}`, (underTest) => underTest.kill(app)])),
  'broker-paused': (underTest) => underTest.pauseBroker(),
  'broker-slow': (underTest) => underTest.preloaded(wire(60, 1_048_576)),
  'broker-sliced': (underTest) => underTest.preloaded(wire(0, 512)),
};

/** By name, a fault: it has been injected and taken back when the promise resolves. */
export const injections: Injections = {
  'postgres-fast': (underTest) => underTest.endPostgres('SIGINT'),
  'postgres-immediate': (underTest) => underTest.endPostgres('SIGQUIT'),
  'connections-exhausted': (underTest) => underTest.exhaustConnections(),
  'lock-held': (underTest) =>
    underTest.between('BEGIN; LOCK TABLE mail.conversations IN ACCESS EXCLUSIVE MODE', 'ROLLBACK'),
  'disk-full': (underTest) => underTest.between(fill, empty),
  'clock-ahead': (underTest) => underTest.preloaded(clock(600_000)),
  'clock-behind': (underTest) => underTest.preloaded(clock(-600_000)),
  ...(topology() === 'cluster' ? ofCluster : {}),
};
