import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokerSetupError } from './setup-error.js';
import type { Secured } from './secured.js';

/** Why a secured broker cannot be made here; null when it can. */
export const opensslMissing = (): string | null =>
  spawnSync('openssl', ['version']).status === 0 ? null : 'OpenSSL was not found ("openssl").';

const newKey = ['-newkey', 'rsa:2048', '-nodes'];

/**
 * An authority, and a certificate of it for a broker on 127.0.0.1, valid for ten days: files of a folder.
 * @throws BrokerSetupError with what openssl says
 */
export async function makeSecured(
  folder: string,
  { users, superUser }: Pick<Secured, 'users' | 'superUser'>,
): Promise<Secured> {
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new BrokerSetupError(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const authority = ['-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca', '-days', '10'];
  openssl('req', '-x509', ...newKey, ...authority);
  openssl('req', ...newKey, '-keyout', 'b.key', '-out', 'b.csr', '-subj', '/CN=broker-1');
  await writeFile(join(folder, 'b.ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'b.ext'];
  openssl('x509', '-req', '-in', 'b.csr', ...signing, '-days', '10', '-out', 'b.crt');
  const [keystoreFile, authorityFile] = [join(folder, 'broker.pem'), join(folder, 'ca.crt')];
  const parts = ['b.key', 'b.crt', 'ca.crt'].map((name) => readFile(join(folder, name), 'utf8'));
  await writeFile(keystoreFile, (await Promise.all(parts)).join(''), { mode: 0o600 });
  return { keystoreFile, authorityFile, users, superUser };
}
