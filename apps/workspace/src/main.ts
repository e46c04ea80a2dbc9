import { join } from 'node:path';
import { ConfigError, createLog, Lifecycle, loadConfig } from '@postroom/service';
import { printBanner } from './banner.js';
import { environment, WorkspaceConfig } from './config.js';
import { openDemo } from './demo/index.js';
import { startWorkspace } from './workspace.js';

/** `npm start`: the whole product in this process. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(WorkspaceConfig, env);
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

/** What went wrong at start is for the operator: one sentence, the stack only when it is ours. */
function fail(error: unknown): never {
  const expected = error instanceof ConfigError || (error instanceof Error && error.cause);
  process.stderr.write(`${expected || !(error instanceof Error) ? String(error) : error.stack}\n`);
  process.exit(1);
}

main(environment()).catch(fail);
