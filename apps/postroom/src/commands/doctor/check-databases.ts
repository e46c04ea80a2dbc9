import { compareRights, declaredTopics, missingTopics, topicsAtRisk } from '@postroom/bus';
import { type StoringServiceName, storingServiceNames } from '@postroom/contracts';
import { atRisk, findKafka } from '../../kafka.js';
import { allRights } from '../kafka-rights.js';
import { type Check, type Finding, ok, skipped, warning, wrong } from './finding.js';
import { connectClient } from '@postroom/persistence';
import { requireMigrations } from '@postroom/persistence/provision';
import type { PostroomConfig } from '../../config.js';
import { findDatabase, schemas } from '../../database.js';

const versionMin = 150_000;
/** Deadlines of requests and leases are moments: a clock that is off by more ends them at once. */
const clockMsMax = 1_000;

/** That each service's database answers, is new enough, has its migrations, and has our time. */
export const databaseChecks = (config: PostroomConfig): Check[] =>
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

const advice = 'See KAFKA_BROKERS, KAFKA_TLS… and KAFKA_SASL_…, and whether a broker runs.';

/** That the brokers answer, have every topic, and let each app do what it has to. */
export const kafkaChecks = (env: NodeJS.ProcessEnv, isCluster: boolean): Check[] => [
  {
    about: 'topics',
    advice,
    run: async () => {
      if (!isCluster) return [skipped('no KAFKA_BROKERS and no cluster: one process needs none')];
      const { connection, prefix } = await findKafka(env);
      const declared = declaredTopics({ prefix });
      const missing = await missingTopics(connection, declared);
      if (missing.length > 0)
        return [wrong(`${missing.join(', ')} missing`, 'Run "prepare", which makes them.')];
      const weak = await topicsAtRisk(connection, declared);
      return weak.length === 0
        ? [ok(`all ${declared.length} are there`)]
        : [wrong(atRisk(weak), 'Until then a lost broker loses events and requests.')];
    },
  },
  {
    about: 'rights on Kafka',
    advice,
    run: async () => {
      if (!isCluster) return [skipped('no brokers')];
      const { connection, prefix } = await findKafka(env);
      if (!connection.security?.sasl) return [skipped('nobody signs in to these brokers')];
      const { missing, further } = await compareRights(connection, allRights(prefix));
      return [
        ...(missing.length === 0
          ? [ok('no right is missing')]
          : [wrong(missing.join('; '), 'Run "postroom kafka acls apply" as an administrator.')]),
        ...(further.length === 0
          ? []
          : [warning(`not needed: ${further.join('; ')}`, 'Take them away.')]),
      ];
    },
  },
];
