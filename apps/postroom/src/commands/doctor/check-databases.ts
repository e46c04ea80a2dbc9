import { storingServiceNames, type StoringServiceName } from '@postroom/contracts';
import { connectClient } from '@postroom/persistence';
import { requireMigrations } from '@postroom/persistence/provision';
import type { WorkspaceConfig } from '../../config.js';
import { findDatabase, schemas } from '../../database.js';
import { ok, warning, wrong, type Check, type Finding } from './finding.js';

const versionMin = 150_000;
/** Deadlines of requests and leases are moments: a clock that is off by more ends them at once. */
const clockMsMax = 1_000;

/** That each service's database answers, is new enough, has its migrations, and has our time. */
export const databaseChecks = (config: WorkspaceConfig): Check[] =>
  storingServiceNames.map((name) => ({
    about: `database ${name}`,
    advice:
      'See whether PostgreSQL runs, the address and the password are right, and "prepare" has run.',
    run: async () => check(await findDatabase(config, name), name),
  }));

async function check(url: string, name: StoringServiceName): Promise<Omit<Finding, 'about'>[]> {
  const client = await connectClient(url);
  try {
    const schema = schemas.find((one) => one.name === name);
    if (schema) await requireMigrations(url, schema);
    const askedMs = Date.now();
    const { rows } = await client.query<{ version: string; ms: string }>(
      `SELECT current_setting('server_version_num') AS version,
         extract(epoch FROM clock_timestamp()) * 1000 AS ms`,
    );
    const aheadMs = Number(rows[0]?.ms) - (askedMs + Date.now()) / 2;
    return [...versionFindings(Number(rows[0]?.version)), ...clockFindings(aheadMs)];
  } finally {
    await client.end();
  }
}

const versionFindings = (version: number) =>
  version >= versionMin
    ? [ok(`PostgreSQL ${Math.floor(version / 10_000)}, migrated`)]
    : [wrong(`PostgreSQL ${Math.floor(version / 10_000)}`, 'Use PostgreSQL 15 or later.')];

export const clockFindings = (aheadMs: number) =>
  Math.abs(aheadMs) <= clockMsMax
    ? []
    : [
        warning(
          `its clock is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`,
          'Keep the clocks of all machines together (NTP).',
        ),
      ];
