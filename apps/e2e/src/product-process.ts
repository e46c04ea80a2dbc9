import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@postroom/testing';
import {
  firstData,
  kafkaBrokers,
  nodeOptions,
  productEnvironment,
  productsFolder,
  topology,
} from './config.js';
import { send } from './http.js';
import { isListening } from './ports.js';
import { descendantsOf, isAlive } from './process-tree.js';
import {
  type CommandResult,
  type Ending,
  type Part,
  type Product,
  readProduct,
  type RunningProduct,
  type Settings,
} from './product.js';

const programs = new URL('../../postroom/dist/', import.meta.url);
/** A cluster is twelve processes: beside other programs it takes minutes. */
const readyTimeoutMs = 280_000;
const goneTimeoutMs = 5_000;
const outputKept = 20_000;

/**
 * The product as `npm start` runs it (one process and its PostgreSQL), or as `npm run start:cluster`
 * does (a process that keeps several, PostgreSQL and Kafka): here on a data folder of its own.
 */
export class ProductProcess implements RunningProduct {
  private child: ChildProcess | undefined;
  private printed = '';
  private known: Product | undefined;

  private constructor(
    private readonly folder: string,
    private readonly settings: Settings,
    readonly ports: { readonly http: number; readonly smtp: number; readonly lmtp: number },
  ) {}

  /** Prepares a product without starting it. */
  static async prepare(settings: Settings = {}): Promise<ProductProcess> {
    const folder = await mkdtemp(join(productsFolder(), 'postroom-e2e-'));
    // The database server runs as a system user of its own when the suite runs as root.
    await chmod(folder, 0o711);
    const [http, smtp, lmtp] = [await freePort(), await freePort(), await freePort()];
    const own = {
      PORT: String(http),
      SMTP_PORT: String(smtp),
      LMTP_PORT: String(lmtp),
      POSTROOM_DATA_DIR: join(folder, 'data'),
      RATE_LIMIT_PER_MINUTE: '1000000',
      SEND_RATE_LIMIT_PER_MINUTE: '1000000',
      MEMBER_RATE_LIMIT_PER_MINUTE: '1000000',
      // One workspace serves all spec files.
      QUOTA_KEYS: '10000',
      QUOTA_MAILBOXES: '10000',
      // The suite asks no name servers but its own.
      MAIL_AUTH: 'off',
      // Receivers of the suite listen on loopback.
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
      REMOTE_IMAGE_ALLOWED_CIDRS: '127.0.0.1',
      OIDC_ALLOWED_CIDRS: '127.0.0.1',
      WEBHOOK_RETRY_DELAYS_MS: '0,200ms,200ms,200ms',
      ...sharedKafka(folder),
    };
    return new ProductProcess(folder, { ...own, ...settings }, { http, smtp, lmtp });
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }

  get product(): Product {
    if (!this.known) throw new Error('The product has not been ready yet.');
    return this.known;
  }

  get demoFile(): string {
    return join(this.dataFolder, 'demo.json');
  }

  get readyUrl(): string {
    return `http://127.0.0.1:${this.ports.http}/readyz`;
  }

  /** The process that was launched last. */
  get launched(): ChildProcess {
    return this.running();
  }

  output(): string {
    return this.printed;
  }

  /** Starts the process; `settings` win over those of {@link prepare} for this one start. */
  launch(settings: Settings = {}): ChildProcess {
    this.printed = '';
    const child = this.spawn('main.js', topology() === 'cluster' ? ['cluster'] : [], settings);
    const keep = (more: string): void => {
      this.printed = (this.printed + more).slice(-outputKept);
    };
    // An aborted run leaves no product behind.
    const endWithUs = (): boolean => child.kill('SIGINT');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    this.child = child;
    return child;
  }

  async restart(settings: Settings = {}): Promise<void> {
    const child = this.launch(settings);
    const deadline = performance.now() + readyTimeoutMs;
    while (!(await this.isReady())) {
      if (hasEnded(child) || performance.now() > deadline) {
        const ending = child.exitCode ?? child.signalCode ?? 'none';
        throw new Error(
          `The product does not become ready (its end: ${ending}). It printed:\n${this.printed}`,
        );
      }
      await sleep(50);
    }
    this.known = await readProduct(this.demoFile);
  }

  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<Ending> {
    const child = this.running();
    const processes = await descendantsOf(child.pid ?? 0);
    child.kill(signal);
    if (!hasEnded(child)) await once(child, 'exit');
    return {
      code: child.exitCode,
      signal: child.signalCode,
      leftovers: await this.leftovers(processes),
    };
  }

  async kill(what: Part): Promise<void> {
    const child = this.running();
    const [whole, pids] = [what === 'services' || what === 'everything', await this.pidsOf(what)];
    const exit = whole ? once(child, 'exit') : undefined;
    if (whole) child.kill('SIGKILL');
    for (const pid of pids) killIfThere(pid);
    await exit;
  }

  /** The processes of a part, below the launched one. */
  private async pidsOf(what: Part): Promise<number[]> {
    const root = this.running().pid ?? 0;
    switch (what) {
      case 'everything':
        return descendantsOf(root);
      case 'database':
        return descendantsOf(root, 'postgres');
      case 'broker':
        return descendantsOf(root, 'java');
      case 'services':
        return (await readProduct(this.demoFile)).instances?.map(({ pid }) => pid) ?? [];
    }
  }

  async command(...args: readonly string[]): Promise<CommandResult> {
    const child = this.spawn('cli.js', args);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (!hasEnded(child)) await once(child, 'exit');
    return { code: child.exitCode, stdout, stderr };
  }

  async remove(): Promise<void> {
    if (this.child && !hasEnded(this.child)) await this.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private spawn(
    program: string,
    args: readonly string[],
    settings: Settings = {},
  ): ChildProcessByStdio<null, Readable, Readable> {
    const file = fileURLToPath(new URL(program, programs));
    return spawn(process.execPath, [...nodeOptions(), file, ...args], {
      cwd: this.folder,
      env: productEnvironment({ ...this.settings, ...settings }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  private running(): ChildProcess {
    if (!this.child || hasEnded(this.child)) {
      throw new Error(`The product is not running. It printed:\n${this.printed}`);
    }
    return this.child;
  }

  /** Each gateway of a cluster is ready before the demo is made. */
  private async isReady(): Promise<boolean> {
    if (topology() === 'cluster' && !this.printed.includes('Postroom is ready.')) return false;
    const answer = await send(this.readyUrl).catch(() => undefined);
    return answer?.status === 200;
  }

  private allPorts(): number[] {
    const urls = (this.known?.instances ?? []).flatMap(({ healthUrl, baseUrl, smtp, lmtp }) => [
      Number(new URL(healthUrl).port),
      baseUrl === undefined ? this.ports.http : Number(new URL(baseUrl).port),
      smtp?.port ?? this.ports.smtp,
      lmtp?.port ?? this.ports.lmtp,
    ]);
    return [...new Set([...Object.values(this.ports), ...urls])];
  }

  private async leftovers(processes: readonly number[]): Promise<string[]> {
    const deadline = performance.now() + goneTimeoutMs;
    for (;;) {
      const left = processes.filter(isAlive).map((pid) => `process ${pid}`);
      for (const port of this.allPorts()) {
        if (await isListening(port)) left.push(`port ${port}`);
      }
      if (left.length === 0 || performance.now() > deadline) return left;
      await sleep(50);
    }
  }
}

/**
 * Starts a product with a database and a demo of its own and waits until it is ready. A first start is left to
 * the first product of a run and to the files that need one: the workspaces of the others have the same ids.
 */
export const startProduct = (settings: Settings = {}): Promise<ProductProcess> =>
  started(settings, firstData());

/** The same with a first start: its workspaces have ids that no other product has. */
export const startNewProduct = (settings: Settings = {}): Promise<ProductProcess> =>
  started(settings, undefined);

async function started(settings: Settings, data: string | undefined): Promise<ProductProcess> {
  const product = await ProductProcess.prepare(settings);
  try {
    if (data !== undefined) await copyFolder(data, product.dataFolder);
    await product.restart();
    return product;
  } catch (error) {
    await product.remove();
    throw error;
  }
}

/** With its owners: PostgreSQL runs as a user of its own. */
export const copyFolder = (from: string, to: string): Promise<unknown> =>
  promisify(execFile)('cp', ['-a', from, to]);

/** Settings of a cluster that starts its own broker even where one is shared. */
export const ownBroker: Settings = { KAFKA_BROKERS: '' };

/** On a shared Kafka each product has its own topic prefix: the unique name of its folder. */
function sharedKafka(folder: string): Settings {
  const brokers = kafkaBrokers();
  if (topology() === 'process' || brokers === undefined) return {};
  return { KAFKA_BROKERS: brokers, KAFKA_PREFIX: basename(folder) };
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with its parent.
  }
}
