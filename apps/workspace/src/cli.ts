import { parseArgs } from 'node:util';
import { isEmail } from '@postroom/contracts';
import { connectAccess, invitationUrl, openWorkspace } from '@postroom/gateway';
import { loadConfig } from '@postroom/service';
import { environment, publicUrlOf, WorkspaceConfig } from './config.js';
import { findDatabase } from './database.js';
import { openInstallation } from './installation.js';

const usage = `Usage: postroom workspace create --name NAME --admin ADDRESS [--admin-name NAME]

Makes a workspace and prints a one-time link for its first administrator, valid 7 days.
For a workspace that is there already it prints a new link for that administrator.
`;

/** The operator's commands. */
async function main(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      admin: { type: 'string' },
      'admin-name': { type: 'string' },
    },
  });
  const { name, admin } = values;
  if (positionals.join(' ') !== 'workspace create' || !name?.trim() || !isEmail(admin)) {
    throw new Error(usage);
  }
  const config = loadConfig(WorkspaceConfig, env);
  const urls = await findDatabase(config, await openInstallation(config.dataDir));
  const database = await connectAccess(urls.access);
  try {
    const adminName = values['admin-name'] ?? admin;
    const token = await openWorkspace(database, { name, adminEmail: admin, adminName });
    process.stdout.write(`${invitationUrl(publicUrlOf(config), token)}\n`);
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2), environment()).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
