import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type RunningBroker } from '@postroom/local';
import type { AppName } from '@postroom/contracts';
import { freePort } from '@postroom/testing';
import { productEnvironment } from '../config.js';
import { send } from '../http.js';
import type { CommandResult, Person, Product, Settings } from '../product.js';
import { SettingsApi } from '../settings-api.js';
import { Workplace } from '../workplace.js';
import { Release, Secrets } from './release.js';

/** As many processes of each service as the chart has at least (k8s/values.yaml). */
const replicas = 2;
/** From "no new connections" to SIGTERM, as in the chart (k8s/templates/_workload.tpl). */
const pauseMs = 5_000;
/** The chart's terminationGracePeriodSeconds, after the pause. */
const graceMs = 45_000;
const readyWithinMs = 120_000;
const outputKept = 20_000;
/** docker/Dockerfile. */
const nodeOptions = [
  ...['--enable-source-maps', '--max-semi-space-size=8', '--heap-growing-percent=100'],
];

/** A process of a service, as a pod has one. */
interface Pod {
  readonly app: AppName;
  readonly child: ChildProcess;
  readonly ports: Readonly<Record<string, number>>;
  readonly healthUrl: string;
  output: string;
  /** Gets new connections. */
  isReady: boolean;
  /** Was asked to end. */
  isEnding: boolean;
}

/**
 * The product as the chart runs it: two processes of each service over Kafka, on a database that is
 * somebody else's, with new connections going to those that are ready.
 */
export class Deployment {
  /** Processes that ended by themselves, or not as they should when they were asked to. */
  readonly faults: string[] = [];
  private readonly secrets = new Secrets();
  private pods: readonly Pod[] = [];
  private turn = 0;

  private constructor(
    readonly folder: string,
    private readonly broker: RunningBroker,
    private readonly settings: Settings,
    /** The processes that run, or will run. */
    public release: Release,
    /** URL of an administrator of the database. */
    public adminUrl: string,
  ) {}

  /** Starts a broker, and nothing else. */
  static async open(
    adminUrl: string,
    settings: Settings = {},
    release = new Release(),
  ): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-deployment-'));
    await chmod(folder, 0o711);
    const broker = await startBroker({ dataDir: join(folder, 'kafka'), log: () => undefined });
    return new Deployment(folder, broker, settings, release, adminUrl);
  }

  /** The product behind its load balancers: each look at an address may give another process's. */
  get product(): Product {
    const origin = (): string => `http://127.0.0.1:${this.nextPort('gateway', 'PORT')}`;
    const smtp = () => ({ host: '127.0.0.1', port: this.nextPort('mail', 'SMTP_PORT') });
    const admin: Person = { email: 'admin@acme.test', password: 'Correct horse battery' };
    const keys = { admin: '', human: '', readOnly: '', agent: '', agentDirect: '' };
    const acme = { id: '', name: 'acme', admin, member: admin, mailboxes: [], keys };
    return {
      get baseUrl() {
        return `${origin()}/public`;
      },
      get settingsUrl() {
        return `${origin()}/settings/api`;
      },
      get smtp() {
        return smtp();
      },
      outbox: '',
      tenants: [acme],
    };
  }

  /** The job that runs before the services of a release. */
  async prepare(release = this.release): Promise<void> {
    const { code, stderr } = await this.run(release, 'main.js', ['prepare']);
    if (code !== 0) throw new Error(`prepare ended with ${code}: ${stderr}`);
  }

  /** Runs one of the operator's commands. */
  command(...args: readonly string[]): Promise<CommandResult> {
    return this.run(this.release, 'cli.js', args);
  }

  /** Starts all services; resolves when all are ready. The gateway comes last, as with compose. */
  async start(): Promise<void> {
    const others = this.release.apps.filter((app) => app !== 'gateway');
    for (const app of [...others, 'gateway' as const]) await this.scale(app, replicas);
  }

  /** Has so many more processes of a service started; resolves when they are ready. */
  async scale(app: AppName, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.startPod(app, this.release)));
  }

  /**
   * Replaces the processes of a service by those of a release, one after the other: the new one is ready
   * before the old one is asked to end, and an old one gets no new connections for a while before that.
   * @returns how many
   */
  async roll(app: AppName, release = this.release): Promise<number> {
    const old = this.pods.filter((pod) => pod.app === app);
    for (const pod of old) {
      await this.startPod(app, release);
      pod.isReady = false;
      await sleep(pauseMs);
      await this.stopPod(pod);
    }
    return old.length;
  }

  /** Ends all processes, or those of one service. */
  async stop(app?: AppName): Promise<void> {
    const ending = this.pods.filter((pod) => app === undefined || pod.app === app);
    // The gateway asks the others, also for what it still has to answer.
    const last = ending.filter((pod) => pod.app !== 'gateway');
    await Promise.all(
      ending.filter((pod) => pod.app === 'gateway').map((pod) => this.stopPod(pod)),
    );
    await Promise.all(last.map((pod) => this.stopPod(pod)));
  }

  /** Ends everything, and deletes it. */
  async remove(): Promise<void> {
    await this.stop();
    await this.broker.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Makes a workspace and its first administrator, as an operator does. */
  async workspace(): Promise<Workplace> {
    const { product } = this;
    const [acme] = product.tenants;
    const { email = '', password = '' } = acme?.admin ?? {};
    const { stdout, stderr } = await this.command(
      ...['workspace', 'create', '--name', 'acme', '--admin', email],
      ...['--domain', 'acme.test'],
    );
    const token = /token=(\S+)/.exec(stdout)?.[1];
    if (token === undefined) throw new Error(stderr);
    const accepted = { token: decodeURIComponent(token), password };
    await new SettingsApi(product).post('/invitations/accept', accepted);
    return Workplace.open('acme', product);
  }

  /** The output of running processes about a request. */
  linesAbout(requestId: string): readonly string[] {
    const lines = this.pods.flatMap(({ app, output }) =>
      output.split('\n').map((line) => `${app}: ${line}`),
    );
    return lines.filter((line) => line.includes(requestId));
  }

  /** The sum of a counter over all processes. */
  async counted(metric: string): Promise<number> {
    const pages = await Promise.all(this.pods.map(({ healthUrl }) => send(`${healthUrl}/metrics`)));
    const values = pages.flatMap(({ text: page }) =>
      page
        .split('\n')
        .filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
        .map((line) => Number(line.split(' ').at(-1))),
    );
    return values.reduce((sum, value) => sum + value, 0);
  }

  private nextPort(app: AppName, variable: string): number {
    const ready = this.pods.filter((pod) => pod.app === app && pod.isReady);
    this.turn += 1;
    return ready[this.turn % ready.length]?.ports[variable] ?? 0;
  }

  private async startPod(app: AppName, release: Release): Promise<void> {
    const ports: Record<string, number> = { HEALTH_PORT: await freePort() };
    for (const variable of release.portsOf(app)) ports[variable] = await freePort();
    const env = productEnvironment({
      ...this.common,
      ...release.environmentOf(app, this.secrets, this.adminUrl),
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      INSTANCE: `${app}-${ports['HEALTH_PORT']}`,
    });
    const child = spawn(process.execPath, [...nodeOptions, release.program(app)], {
      ...{ cwd: this.folder, env },
      // By the channel it notices the end of an aborted run, and ends too.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const healthUrl = `http://127.0.0.1:${ports['HEALTH_PORT']}`;
    const pod: Pod = {
      ...{ app, child, ports, healthUrl, output: '', isReady: false, isEnding: false },
    };
    this.watch(pod);
    this.pods = [...this.pods, pod];
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady(pod))) {
      if (hasEnded(child) || performance.now() > deadline)
        throw new Error(`${app} does not become ready. It printed:\n${pod.output}`);
      await sleep(100);
    }
    pod.isReady = true;
  }

  private watch(pod: Pod): void {
    const { app, child } = pod;
    const keep = (more: string): void => {
      pod.output = (pod.output + more).slice(-outputKept);
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.once('exit', (code, signal) => {
      pod.isReady = false;
      if (!pod.isEnding || code !== 0)
        this.faults.push(`${app} ended with ${code ?? signal}: ${pod.output.slice(-2_000)}`);
    });
  }

  private async stopPod(pod: Pod): Promise<void> {
    const { child } = pod;
    pod.isReady = false;
    pod.isEnding = true;
    this.pods = this.pods.filter((one) => one !== pod);
    if (hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const cutOff = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(cutOff);
  }

  private async run(
    release: Release,
    file: string,
    args: readonly string[],
  ): Promise<CommandResult> {
    const env = productEnvironment({
      ...this.common,
      ...release.environmentOfOperator(this.secrets, this.adminUrl),
      POSTROOM_DATA_DIR: join(this.folder, 'none'),
    });
    const child = spawn(process.execPath, [release.program('postroom', file), ...args], {
      ...{ cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const ended = once(child, 'exit');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    return { code: child.exitCode, stdout, stderr };
  }

  private get common(): Settings {
    return {
      ...{ HOST: '127.0.0.1', SMTP_HOST: '127.0.0.1', HEALTH_HOST: '127.0.0.1' },
      ...{ KAFKA_BROKERS: this.broker.brokers, KAFKA_PREFIX: 'postroom' },
      PUBLIC_URL: 'http://postroom.test',
      ...{
        LOG_LEVEL: 'warn',
        MALLOC_ARENA_MAX: '2',
        MALLOC_MMAP_THRESHOLD_: '131072',
        MAIL_AUTH: 'off',
      },
      ...{ RATE_LIMIT_PER_MINUTE: '1000000', SEND_RATE_LIMIT_PER_MINUTE: '1000000' },
      MEMBER_RATE_LIMIT_PER_MINUTE: '1000000',
      // Receivers of the suite listen on loopback.
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
      ...this.settings,
    };
  }
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

async function isReady({ healthUrl }: Pod): Promise<boolean> {
  const answer = await send(`${healthUrl}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}
