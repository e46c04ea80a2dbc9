import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CarrierAddress } from '../carriers/carrier.js';
import type { CarrierName } from '../carriers/index.js';
import type { ServerOptions } from '../rig/server-process.js';
import { stopProcess, tell } from '../rig/tell.js';
import type { Slice } from './ask.js';
import type { CallerOrder, CallerReport, ServiceOrder, ServiceReport } from './orders.js';
import type { Scenario } from './scenarios.js';

/** The measurements of one carrier in one slice. */
export interface Measured extends Slice {
  /** CPU milliseconds a request, of each end's process. */
  readonly callerCpuMs: number;
  readonly serviceCpuMs: number;
}

/** A carrier with each of its ends in a process of its own. */
export class Contestant {
  private constructor(
    private readonly service: ChildProcess,
    private readonly caller: ChildProcess,
  ) {}

  /** Starts both ends and waits for a first reply. */
  static async start(
    name: CarrierName,
    place: CarrierAddress,
    options: ServerOptions,
  ): Promise<Contestant> {
    const service = launch('carrier-service', name, options);
    const caller = launch('carrier-caller', name, options);
    try {
      const { address } = await tell<ServiceReport>(service, {
        start: name,
        place,
      } satisfies ServiceOrder);
      const start: CallerOrder = { start: name, place: { ...place, address } };
      await tell<CallerReport>(caller, start);
      return new Contestant(service, caller);
    } catch (error) {
      service.kill();
      caller.kill();
      throw new Error(`${name} did not start`, { cause: error });
    }
  }

  async measure(scenario: Scenario, ms: number): Promise<Measured> {
    const before = await this.serviceCpuMs();
    const order: CallerOrder = { measure: scenario, ms };
    const { slice, cpuMs } = await tell<CallerReport>(this.caller, order);
    if (!slice) throw new Error('the caller measured nothing');
    const serviceCpuMs = (await this.serviceCpuMs()) - before;
    const { replies } = slice;
    return { ...slice, callerCpuMs: cpuMs / replies, serviceCpuMs: serviceCpuMs / replies };
  }

  /** The caller stops first, since it deletes its reply topic at the broker. */
  async stop(): Promise<void> {
    await stopProcess(this.caller);
    await stopProcess(this.service);
  }

  private async serviceCpuMs(): Promise<number> {
    return (await tell<ServiceReport>(this.service, 'cpu' satisfies ServiceOrder)).cpuMs;
  }
}

/** kafkajs 2.2.4 sets timers with negative delays, of which Node 24 warns once a process. */
const quiet = ['--disable-warning=TimeoutNegativeWarning'];

function launch(
  program: 'carrier-service' | 'carrier-caller',
  name: CarrierName,
  { profiles, signal }: ServerOptions,
): ChildProcess {
  const file = fileURLToPath(new URL(`../servers/${program}.js`, import.meta.url));
  const profiling = [
    '--cpu-prof',
    `--cpu-prof-dir=${profiles}`,
    `--cpu-prof-name=${program}-${name}.cpuprofile`,
  ];
  const execArgv = [...quiet, ...(profiles === null ? [] : profiling)];
  const child = fork(file, { execArgv, signal });
  child.on('error', () => undefined);
  return child;
}
