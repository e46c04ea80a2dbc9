import { parseArgs } from 'node:util';
import { isEmail } from '@postroom/contracts';
import { connectAccess, invitationUrl, openWorkspace } from '@postroom/gateway';
import type { Database } from '@postroom/persistence';
import { environment, loadWorkspaceConfig, publicUrlOf, type WorkspaceConfig } from './config.js';
import { findAccessDatabase } from './database.js';
import { StartError } from './start-error.js';

const usage = `Usage: postroom workspace create --name NAME --admin ADDRESS [--admin-name NAME]

Makes a workspace and prints a one-time link for its first administrator, valid 7 days.
For a workspace that is there already it prints a new link for that administrator.
Postroom has to be running (npm start).
`;

const nameMax = 80;

/** The operator's commands. */
async function main(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { name, admin, adminName } = readArguments(args);
  const config = loadWorkspaceConfig(env);
  const database = await connect(config);
  try {
    const token = await openWorkspace(database, { name, adminEmail: admin, adminName });
    process.stdout.write(`${invitationUrl(publicUrlOf(config), token)}\n`);
  } finally {
    await database.close();
  }
}

function readArguments(args: string[]): { name: string; admin: string; adminName: string } {
  const { positionals, values } = parse(args);
  const { name, admin, 'admin-name': adminName } = values;
  const isName = name.trim() !== '' && name.length <= nameMax;
  if (positionals.join(' ') !== 'workspace create' || !isName || !isEmail(admin)) {
    throw new StartError(usage);
  }
  return { name: name.trim(), admin, adminName: adminName || admin };
}

function parse(args: string[]) {
  const text = { type: 'string', default: '' } as const;
  const options = { name: text, admin: text, 'admin-name': text };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (cause) {
    throw new StartError(usage, { cause });
  }
}

async function connect(config: WorkspaceConfig): Promise<Database> {
  const url = await findAccessDatabase(config);
  try {
    return await connectAccess(url);
  } catch (cause) {
    const reason = `The database of "${config.dataDir}" does not answer. Is Postroom running?`;
    throw new StartError(reason, { cause });
  }
}

main(process.argv.slice(2), environment()).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
