import { join } from 'node:path';
import { SetupError } from '@postroom/service/setup-error';
import { ConfigError, createLog, Lifecycle, loadConfig, type Log } from '@postroom/service';
import { printBanner } from './banner.js';
import { startCluster } from './cluster.js';
import { environment, PrepareConfig, type PostroomConfig } from './config.js';
import { loadClusterConfig, loadPostroomConfig } from './load-config.js';
import { openDemo } from './demo/index.js';
import { prepare } from './prepare.js';
import { startInProcess, type RunningProduct } from './in-process.js';

/**
 * `npm start`: the whole product in this process. `npm run start:cluster`: in many. `prepare`: what a
 * deployment runs before its services.
 */
async function main([topology]: string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (topology === 'prepare') {
    await prepare(loadConfig(PrepareConfig, env));
  } else if (topology === 'cluster') {
    const config = loadClusterConfig(env);
    await startAndServe(config, (log, lifecycle) => startCluster(config, env, log, lifecycle));
  } else {
    const config = loadPostroomConfig(env);
    await startAndServe(config, (log, lifecycle) => startInProcess(config, env, log, lifecycle));
  }
}

async function startAndServe(
  config: PostroomConfig,
  start: (log: Log, lifecycle: Lifecycle) => Promise<RunningProduct>,
): Promise<void> {
  const log = createLog({ level: config.logLevel, format: 'plain' });
  const lifecycle = new Lifecycle(log);
  lifecycle.handleSignals();
  try {
    const product = await start(log, lifecycle);
    const facts = await openDemo(config, product);
    product.ready();
    printBanner(facts, join(config.dataDir, 'demo.json'));
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** Prints why the start has failed; without a stack where the operator can change it. */
function fail(error: unknown): never {
  const isOperators = [ConfigError, SetupError].some((kind) => error instanceof kind);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${isOperators ? message : (stack ?? message)}\n`);
  process.exit(1);
}

main(process.argv.slice(2), environment()).catch(fail);
