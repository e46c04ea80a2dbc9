import { Keyring, type SealedColumn } from '@postroom/access';
import { storingServiceNames, type StoringServiceName } from '@postroom/contracts';
import { resealSecrets as reseal, sealedWithoutKeys } from '@postroom/operations';
import type { Database } from '@postroom/persistence';
import { loadPostroomConfig } from '../load-config.js';
import { installed } from '../services.js';
import { SetupError } from '@postroom/service/setup-error';
import { UsageError, type Command } from './run-command.js';
import { findKeyring } from '../installation.js';
import { withOutbox } from './outbox.js';

/** Seals the secrets at rest with the first key. */
export const resealSecrets: Command = {
  words: ['secrets', 'reseal'],
  needs: ['SECRETS_KEYS'],
  usage: `postroom secrets reseal
    Seals all secrets at rest (passwords of mail servers, keys of DKIM, webhooks and receipts) with the first
    key of SECRETS_KEYS, while the services run, and says how many by column and key. It may be run again,
    and goes on where it was cut off. It ends with 1 while something still needs another key.`,
  async run({ rest, env }) {
    if (rest.length > 0) throw new UsageError();
    const text = await findKeyring(loadPostroomConfig(env));
    if (text === null)
      throw new SetupError('SECRETS_KEYS is not set, and there is no data folder.');
    const [first = ''] = Keyring.parse(text).ids;
    const lines: string[] = [];
    const needed: string[] = [];
    for (const service of storingServiceNames) {
      const { sealed } = installed[service];
      if (sealed.length === 0) continue;
      const found = await withOutbox({ rest: [service], env }, (database) =>
        resealed(database, service, { text, sealed }),
      );
      lines.push(...found.lines);
      needed.push(...found.needed);
    }
    if (needed.length > 0) throw new SetupError([...lines, ...needed].join('\n'));
    return [...lines, `All secrets are sealed with "${first}": no other key is needed.`];
  },
};

async function resealed(
  database: Database,
  service: StoringServiceName,
  { text, sealed }: { readonly text: string; readonly sealed: readonly SealedColumn[] },
): Promise<Readonly<Record<'lines' | 'needed', string[]>>> {
  const keyring = Keyring.parse(text, sealed);
  const done = await reseal(database, keyring, sealed);
  const left = await sealedWithoutKeys(database, keyring.ids.slice(0, 1));
  return {
    lines: done.map(
      ({ place, keyId, secrets }) => `${service}.${place}: ${secrets} of "${keyId}" sealed anew.`,
    ),
    needed: left.map(
      ({ place, keyId, secrets }) =>
        `${service}.${place}: ${secrets} still need "${keyId}"${reasonOf(keyring, keyId)}.`,
    ),
  };
}

/** A process that has the older key first goes on sealing with it. */
const reasonOf = ({ ids }: Keyring, keyId: string): string =>
  ids.includes(keyId)
    ? ', since they cannot be opened with it or a service still seals with it'
    : ', which SECRETS_KEYS lacks';
