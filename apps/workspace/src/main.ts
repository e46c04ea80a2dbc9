import { join } from 'node:path';
import { PostgresSetupError } from '@postroom/persistence/server';
import { ConfigError, createLog, Lifecycle } from '@postroom/service';
import { printBanner } from './banner.js';
import { environment, loadWorkspaceConfig } from './config.js';
import { openDemo } from './demo/index.js';
import { StartError } from './start-error.js';
import { startWorkspace } from './workspace.js';

/** `npm start`: the whole product in this process. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadWorkspaceConfig(env);
  const log = createLog({ level: config.logLevel, format: 'plain' });
  const lifecycle = new Lifecycle(log);
  lifecycle.handleSignals();
  try {
    const workspace = await startWorkspace(config, env, log, lifecycle);
    const facts = await openDemo(config, workspace);
    workspace.health.ready('demo', true);
    printBanner(facts, join(config.dataDir, 'demo.json'));
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** What went wrong at start: in words alone where it is the operator's to change. */
function fail(error: unknown): never {
  const isOperators = [ConfigError, PostgresSetupError, StartError].some(
    (kind) => error instanceof kind,
  );
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${isOperators ? message : (stack ?? message)}\n`);
  process.exit(1);
}

main(environment()).catch(fail);
