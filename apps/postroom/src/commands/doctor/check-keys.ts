import { Keyring } from '@postroom/access';
import { storingServiceNames, type StoringServiceName } from '@postroom/contracts';
import { AuditChain, auditKeyFaults } from '@postroom/gateway';
import { lackingKey, sealedWithoutKeys, type SealedSecrets } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import type { PostroomConfig } from '../../config.js';
import { findDatabase } from '../../database.js';
import { findKeyring, readInstallation } from '../../installation.js';
import { installed } from '../../services.js';
import { ok, skipped, wrong, type Check, type Finding } from './finding.js';

const advice = 'See the database of the service.';

/** That the services have every key which their secrets, and the links of the audit, need. */
export const keyChecks = (config: PostroomConfig): Check[] => [
  ...storingServiceNames
    .filter((name) => installed[name].sealed.length > 0)
    .map((name) => ({
      ...{ about: `secrets of ${name}`, advice },
      run: async () => {
        const keys = await findKeyring(config);
        if (keys === null) return [skipped('SECRETS_KEYS is not set')];
        const sealed = await inDatabase(config, name, (database) =>
          sealedWithoutKeys(database, []),
        );
        return keyringFindings(sealed, Keyring.parse(keys));
      },
    })),
  {
    ...{ about: 'keys of the audit', advice },
    run: async () => {
      const keys = config.auditKey ?? (await readInstallation(config.dataDir))?.auditKey;
      if (keys === undefined) return [skipped('AUDIT_KEY is not set')];
      const faults = await inDatabase(config, 'access', (database) =>
        auditKeyFaults(database, new AuditChain(keys)),
      );
      return faults.length === 0
        ? [ok('all are there')]
        : faults.map(({ variable, found }) => wrong(`${variable} ${found}`, 'Give it back.'));
    },
  },
];

async function inDatabase<T>(
  config: PostroomConfig,
  schema: StoringServiceName,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const url = await findDatabase(config, schema);
  const database = await Database.connect({ url, schema, entities: [], poolSize: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function keyringFindings(
  sealed: readonly SealedSecrets[],
  { ids }: Keyring,
): Omit<Finding, 'about'>[] {
  const lacking = sealed.filter(({ keyId }) => !ids.includes(keyId));
  if (lacking.length > 0) {
    return lacking.map((one) =>
      wrong(`SECRETS_KEYS ${lackingKey(one)}`, 'Give it back, then run "postroom secrets reseal".'),
    );
  }
  const needed = ids.slice(1).filter((id) => sealed.some(({ keyId }) => keyId === id));
  return [
    ok(
      needed.length === 0
        ? `"${ids[0]}" is the only key that is needed`
        : `"${needed.join('", "')}" is still needed; "postroom secrets reseal" ends that`,
    ),
  ];
}
