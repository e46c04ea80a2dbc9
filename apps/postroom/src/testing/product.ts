import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@postroom/testing';
import type { DemoFacts } from '../demo/index.js';

/** The exit of a process, and all that it printed. */
export interface Ending {
  readonly code: number | null;
  readonly output: string;
}

/** A process of the product, from its first line to its end. */
export interface Running {
  readonly output: () => string;
  readonly ended: Promise<Ending>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

type Settings = Readonly<Record<string, string>>;

/** The product on a folder and ports of its own. It runs from `dist`: run `tsc -b` first. */
export class Product {
  private readonly processes: Running[] = [];

  private constructor(
    private readonly folder: string,
    readonly port: number,
    readonly smtpPort: number,
  ) {}

  static async prepare(): Promise<Product> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-workspace-'));
    // Started by root, PostgreSQL runs as another user, who must be able to enter the folder.
    await chmod(folder, 0o711);
    return new Product(folder, await freePort(), await freePort());
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  start(settings: Settings = {}): Running {
    return this.run('main.js', [], settings);
  }

  cli(...args: string[]): Promise<Ending> {
    return this.run('cli.js', args, {}).ended;
  }

  /** Starts it and waits until it is ready. */
  async ready(): Promise<Running> {
    const running = this.start();
    await this.reaches(running, (status) => status === 200);
    return running;
  }

  /** Waits until the answer of `/readyz` is the wanted one; `body` is its text. */
  async reaches(
    { ended, output }: Running,
    wanted: (status: number, body: string) => boolean,
  ): Promise<void> {
    const over = new AbortController();
    void ended.then(() => over.abort());
    const deadline = performance.now() + 240_000;
    while (!over.signal.aborted && performance.now() < deadline) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined);
      if (answer && wanted(answer.status, await answer.text())) return;
      await sleep(20);
    }
    throw new Error(`It does not get there. It printed:\n${output()}`);
  }

  async facts(): Promise<DemoFacts> {
    return JSON.parse(await readFile(join(this.dataDir, 'demo.json'), 'utf8')) as DemoFacts;
  }

  /** Its processes that are left: listeners, its PostgreSQL. */
  async leftovers(): Promise<string[]> {
    const left: string[] = [];
    for (const port of [this.port, this.smtpPort]) {
      if (await isListening(port)) left.push(`port ${port}`);
    }
    const pid = await this.postgres();
    if (pid !== undefined && isAlive(pid)) left.push(`postgres ${pid}`);
    return left;
  }

  /** Ends what still runs, and deletes everything. */
  async remove(): Promise<void> {
    for (const { kill } of this.processes) kill('SIGINT');
    await Promise.all(this.processes.map(({ ended }) => ended));
    const pid = await this.postgres();
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGQUIT');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** The process id of its PostgreSQL, even of one that was killed. */
  async postgres(): Promise<number | undefined> {
    const dataDir = join(this.dataDir, 'postgres');
    const record = await readFile(join(dataDir, 'postgres.json'), 'utf8').catch(() => '{}');
    const { home = '.' } = JSON.parse(record) as { home?: string };
    const pidFile = join(resolve(dataDir, home), 'cluster', 'postmaster.pid');
    const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
    return pid > 0 ? pid : undefined;
  }

  private run(file: string, args: readonly string[], settings: Settings): Running {
    const program = fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        POSTROOM_DATA_DIR: this.dataDir,
        PORT: String(this.port),
        SMTP_PORT: String(this.smtpPort),
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
    const running = {
      output: () => output,
      ended,
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
    };
    this.processes.push(running);
    return running;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('connect', () => socket.destroy());
  });
}
