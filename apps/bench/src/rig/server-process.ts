import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, Report, Setup } from './setup.js';
import { stopProcess, tell } from './tell.js';

/** The servers that can be measured, each a file of the folder `servers`. */
export type ServerName =
  | 'product'
  | 'product-without-guards'
  | 'product-without-telemetry'
  | 'product-with-telemetry'
  | 'product-with-traces'
  | 'twin'
  | 'workspace'
  | 'workspace-twin'
  | 'sink'
  | 'gateway-on-kafka'
  | 'mail-on-kafka'
  | 'mcp-on-kafka';

export interface ServerOptions {
  /** Folder for a CPU profile, written when the server stops. */
  readonly profiles: string | null;
  /** Ends the server's process at once. */
  readonly signal: AbortSignal;
}

/** A server in a process of its own. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly mailPort: number | undefined,
  ) {}

  /** Starts a server and waits until it listens. */
  static async start(
    name: ServerName,
    setup: Setup,
    { profiles, signal }: ServerOptions,
  ): Promise<ServerProcess> {
    const file = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
    const profiling = profiles !== null && [
      '--cpu-prof',
      `--cpu-prof-dir=${profiles}`,
      `--cpu-prof-name=${name}.cpuprofile`,
    ];
    const execArgv = [...process.execArgv, ...(profiling || [])];
    const child = fork(file, { execArgv, signal });
    // The abort itself is reported by the exit of the process.
    child.on('error', () => undefined);
    try {
      const report = await tell<Report>(child, { start: setup } satisfies Order);
      if (!('port' in report)) throw new Error(`${name} did not start`);
      return new ServerProcess(child, report.port, report.smtpPort);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  /** Its SMTP port. @throws Error when it has none */
  get smtpPort(): number {
    if (this.mailPort === undefined) throw new Error('This server takes no mail.');
    return this.mailPort;
  }

  /** CPU time the process has used so far, its threads included, milliseconds. */
  async cpuMs(): Promise<number> {
    const report = await tell<Report>(this.child, 'cpu' satisfies Order);
    return 'cpuMs' in report ? report.cpuMs : 0;
  }

  /** Peak memory of the process, MiB. */
  async memoryMb(): Promise<number> {
    const report = await tell<Report>(this.child, 'memory' satisfies Order);
    return 'memoryMb' in report ? report.memoryMb : NaN;
  }

  stop(): Promise<void> {
    return stopProcess(this.child);
  }
}
