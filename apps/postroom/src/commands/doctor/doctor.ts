import { ConfigError } from '@postroom/service';
import { publicUrlOf } from '../../config.js';
import { hasBrokers } from '../../kafka.js';
import { loadClusterConfig } from '../../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { UsageError, type Command } from '../run-command.js';
import { databaseChecks, kafkaChecks } from './check-databases.js';
import { mailDomainsCheck } from './check-mail-domains.js';
import { outsideChecks } from './check-outside.js';
import { keyChecks } from './check-keys.js';
import { findingsOf, lineOf, type Finding } from './finding.js';

/** Looks at everything that an installation depends on. */
export const doctor: Command = {
  words: ['doctor'],
  needs: ['DATABASE_URL', 'SECRETS_KEYS', 'AUDIT_KEY'],
  usage: `postroom doctor
    Checks settings, databases, migrations, clocks, keys, topics, rights on Kafka, the name
    and certificate of PUBLIC_URL, outgoing mail, and MX, PTR, SPF, DKIM and DMARC of each domain, and says what to do. It changes nothing, and
    ends with 1 when something is wrong.`,
  async run({ rest, env }) {
    if (rest.length > 0) throw new UsageError();
    const findings = await examine(env);
    const lines = findings.map(lineOf);
    const faults = findings.filter(({ state }) => state === 'wrong').length;
    if (faults > 0) throw new SetupError([...lines, `${faults} wrong.`].join('\n'));
    return [...lines, 'Nothing is wrong.'];
  },
};

async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const config = settingsOf(env);
  if (Array.isArray(config)) return config;
  const isCluster = await hasBrokers(config);
  const checks = [
    ...databaseChecks(config),
    ...keyChecks(config),
    ...kafkaChecks(env, isCluster),
    ...outsideChecks({ ...config, publicUrl: publicUrlOf(config) }),
    mailDomainsCheck(config),
  ];
  const found = await Promise.all(checks.map(findingsOf));
  return [{ state: 'ok', about: 'settings', says: 'all are sound' }, ...found.flat()];
}

/** Each fault of the settings is a finding; without sound ones there is nothing to look at. */
function settingsOf(env: NodeJS.ProcessEnv): ReturnType<typeof loadClusterConfig> | Finding[] {
  try {
    return loadClusterConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ variable, found, allowed }) => ({
      state: 'wrong',
      about: variable,
      says: found,
      advice: `Allowed: ${allowed}.`,
    }));
  }
}
