import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { mulberry32 } from '../capacity/simulate.mjs';

const seed = process.env.FAULT_SEED;

/** The process itself: spec files have the globals that the product has, with no context of their own. */
export default class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #before = { console, exit: process.exit, env: { ...process.env } };

  constructor({ projectConfig }) {
    // The moments of kills and the like are the same again for a seed of `npm run faults`.
    if (seed !== undefined) Math.random = mulberry32(Number(seed));
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** The next file finds the process as this one found it. */
  async teardown() {
    const { console, exit, env } = this.#before;
    this.fakeTimersModern.dispose();
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }

  getVmContext() {
    return null;
  }
}
