import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { SetupError } from '@postroom/service/setup-error';
import { MailboxEntity, setDkimKey } from '@postroom/mail';
import { Database } from '@postroom/persistence';
import { findDatabase } from '../database.js';
import { findKeyring } from '../installation.js';
import { loadPostroomConfig } from '../load-config.js';
import { UsageError, type Command } from './run-command.js';

/** Makes a key that signs what a mailbox sends. */
export const newDkimKey: Command = {
  words: ['dkim', 'new'],
  needs: ['SECRETS_KEYS'],
  usage: `postroom dkim new --mailbox ADDRESS [--selector NAME]
    Makes an RSA key of 2048 bits, with which the mailbox signs from now on (DKIM), and prints the record of the
    name system that receivers look for. Publish it at once. The selector is "pr" and the month unless it is given;
    the record of the key before is to stay for a week. It needs SECRETS_KEYS.`,
  async run({ rest, options, env }) {
    const {
      mailbox = '',
      selector = `pr${new Date().toISOString().slice(0, 7).replace('-', '')}`,
    } = options;
    if (rest.length > 0 || !mailbox.includes('@')) throw new UsageError('--mailbox is missing.');
    const config = loadPostroomConfig(env);
    const keyring = await findKeyring(config);
    if (keyring === null) throw new SetupError('SECRETS_KEYS is needed: they seal the key.');
    const { privateKey, publicKey } = await newKey();
    const url = await findDatabase(config, 'mail');
    const database = await Database.connect({ url, schema: 'mail', entities: [MailboxEntity] });
    try {
      await setDkimKey(database, keyring, mailbox, { selector, privateKey });
    } finally {
      await database.close();
    }
    const name = `${selector}._domainkey.${mailbox.slice(mailbox.lastIndexOf('@') + 1)}`;
    return [
      `${name}. IN TXT ${recordText(publicKey)}`,
      '',
      `${mailbox} signs with it from now on: publish the record now ("postroom doctor" looks for it).`,
    ];
  },
};

async function newKey(): Promise<{ privateKey: string; publicKey: Buffer }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** RFC 6376 §3.6.1; a string of a TXT record has at most 255 characters (RFC 1035 §3.3.14). */
const recordText = (publicKey: Buffer): string =>
  (`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`.match(/.{1,255}/g) ?? [])
    .map((part) => `"${part}"`)
    .join(' ');
