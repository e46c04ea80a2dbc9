import { readFile } from 'node:fs/promises';
import type { KafkaSecurity } from '../kafka/security.js';

/** What a broker needs to ask its clients for TLS, a sign-in and rights. */
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

/** How one of its users speaks to it. */
export const securityFor = async (
  { authorityFile, users }: Secured,
  username: string,
): Promise<KafkaSecurity> => ({
  tls: { ca: await readFile(authorityFile, 'utf8') },
  sasl: { mechanism: 'scram-sha-512', username, password: users[username] ?? '' },
});
