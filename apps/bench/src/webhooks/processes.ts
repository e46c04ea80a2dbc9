import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopProcess, tell } from '../rig/tell.js';
import type {
  DispatcherOrder,
  DispatcherReport,
  ReceiverOrder,
  ReceiverReport,
  TwinOrder,
  TwinReport,
} from './orders.js';

const begin = (name: string, signal: AbortSignal): ChildProcess => {
  const file = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
  const child = fork(file, { execArgv: process.execArgv, signal });
  return child.on('error', () => undefined);
};

/** The receiver, the dispatcher and its twin, each a process of its own. */
export class Processes {
  private readonly receiver: ChildProcess;
  private readonly dispatcher: ChildProcess;
  private readonly twin: ChildProcess;

  constructor(signal: AbortSignal) {
    this.receiver = begin('webhook-receiver', signal);
    this.dispatcher = begin('webhook-dispatcher', signal);
    this.twin = begin('webhook-twin', signal);
  }

  receive(order: ReceiverOrder): Promise<ReceiverReport> {
    return tell<ReceiverReport>(this.receiver, order);
  }

  dispatch(order: DispatcherOrder): Promise<DispatcherReport> {
    return tell<DispatcherReport>(this.dispatcher, order);
  }

  post(order: TwinOrder): Promise<TwinReport> {
    return tell<TwinReport>(this.twin, order);
  }

  async stop(): Promise<void> {
    for (const child of [this.dispatcher, this.twin, this.receiver]) await stopProcess(child);
  }
}
