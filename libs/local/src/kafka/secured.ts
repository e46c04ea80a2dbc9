import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '@postroom/service/setup-error';

/** The files and users of a broker that asks its clients for TLS, a sign-in and rights. */
export interface Secured {
  /** PEM file: its key, then its certificate for 127.0.0.1, whose common name is `broker-1`. */
  readonly keystoreFile: string;
  /** PEM file: the authority of that certificate. */
  readonly authorityFile: string;
  /** Passwords by user, for SCRAM-SHA-512; they are made with the storage, at the first start. */
  readonly users: Readonly<Record<string, string>>;
  /** The user who may do everything; the others may do what ACLs say. */
  readonly superUser: string;
}

/** Why a secured broker cannot be made here; null when it can. */
export const opensslMissing = (): string | null =>
  spawnSync('openssl', ['version']).status === 0 ? null : 'OpenSSL was not found ("openssl").';

const newKey = ['-newkey', 'rsa:2048', '-nodes'];

/**
 * An authority, and a certificate of it for a broker on 127.0.0.1, valid for ten days: files of a folder.
 * @throws SetupError with what openssl says
 */
export async function makeSecured(
  folder: string,
  { users, superUser }: Pick<Secured, 'users' | 'superUser'>,
): Promise<Secured> {
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new SetupError(`openssl ${args.join(' ')}: ${stderr}`);
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

/** The security of a user's connection to a broker, as the bus takes it. */
interface BrokerSecurity {
  readonly tls: { readonly ca: string };
  readonly sasl: {
    readonly mechanism: 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
}

/** Options of the program that makes the storage. */
export const userArguments = ({ users }: Secured): string[] =>
  Object.entries(users).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);

interface Ports {
  readonly port: number;
  readonly controllerPort: number;
  readonly internalPort: number;
}

const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';

/**
 * Listeners of a broker whose clients sign in over TLS; brokers and controllers know each other by their
 * certificates.
 */
export function securedProperties(
  { keystoreFile, authorityFile, superUser }: Secured,
  { port, controllerPort, internalPort }: Ports,
): Readonly<Record<string, string>> {
  const client = `SASL_SSL://127.0.0.1:${port}`;
  const internal = `INTERNAL://127.0.0.1:${internalPort}`;
  return {
    listeners: `${client},CONTROLLER://127.0.0.1:${controllerPort},${internal}`,
    'advertised.listeners': `${client},${internal}`,
    'listener.security.protocol.map': 'CONTROLLER:SSL,INTERNAL:SSL,SASL_SSL:SASL_SSL',
    'inter.broker.listener.name': 'INTERNAL',
    'listener.name.controller.ssl.client.auth': 'required',
    'listener.name.internal.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': login,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystoreFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authorityFile,
    'ssl.principal.mapping.rules': 'RULE:^CN=(broker-[0-9]+)$/$1/,DEFAULT',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:broker-1;User:${superUser}`,
  };
}

/** The security of a connection of one of its users. */
export const securityFor = async (
  { authorityFile, users }: Secured,
  username: string,
): Promise<BrokerSecurity> => ({
  tls: { ca: await readFile(authorityFile, 'utf8') },
  sasl: { mechanism: 'scram-sha-512', username, password: users[username] ?? '' },
});
