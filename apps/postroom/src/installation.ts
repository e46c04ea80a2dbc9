import type { PostroomConfig } from './config.js';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { newEventKey } from '@postroom/access';
import {
  recordOf,
  schemaNames,
  serviceNames,
  storingServiceNames,
  type SchemaName,
  type ServiceName,
  type StoringServiceName,
} from '@postroom/contracts';

/**
 * The random secrets of one installation, made at its first start. While a key is changed its entry is `old,new`,
 * then `new,old`: the first is used, all are valid.
 */
export interface Installation {
  /** By schema: password of the service's database role. */
  readonly databasePasswords: Readonly<Record<SchemaName, string>>;
  /** By service: key that callers are signed with, base64. */
  readonly callerKeys: Readonly<Record<ServiceName, string>>;
  /** By service that publishes events: the private key that signs them. */
  readonly eventKeys: Readonly<Record<StoringServiceName, string>>;
  readonly secretsKeys: string;
  readonly auditKey: string;
}

const random = (): string => randomBytes(32).toString('base64');

const newInstallation = (): Installation => ({
  databasePasswords: recordOf(schemaNames, random),
  callerKeys: recordOf(serviceNames, random),
  eventKeys: recordOf(storingServiceNames, newEventKey),
  secretsKeys: `k1:${random()}`,
  auditKey: random(),
});

/** Reads the installation's secrets from the data folder, or makes them. */
export async function openInstallation(dataDir: string): Promise<Installation> {
  const known = await readInstallation(dataDir);
  const whole = completed(known);
  if (!isDeepStrictEqual(known, whole)) await writeSecretFile(fileIn(dataDir), whole);
  return whole;
}

/** The stored secrets, and new ones for what was added since the installation was made. */
function completed(known: Partial<Installation> = {}): Installation {
  const made = newInstallation();
  return {
    databasePasswords: { ...made.databasePasswords, ...known.databasePasswords },
    callerKeys: { ...made.callerKeys, ...known.callerKeys },
    eventKeys: { ...made.eventKeys, ...known.eventKeys },
    secretsKeys: known.secretsKeys ?? made.secretsKeys,
    auditKey: known.auditKey ?? made.auditKey,
  };
}

/** The installation's secrets; undefined when nothing has been started on the data folder. */
export const readInstallation = (dataDir: string): Promise<Installation | undefined> =>
  readJson<Installation>(fileIn(dataDir));

const fileIn = (dataDir: string): string => join(dataDir, 'installation.json');

/** The JSON of a file; undefined when there is no such file. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(missing);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

function missing(error: unknown): undefined {
  if (typeof error === 'object' && error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}

/** Writes JSON atomically, readable by its owner only. */
export async function writeSecretFile(file: string, content: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}.tmp`;
  await writeFile(half, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(half, file);
}

/** The keyring of the secrets at rest: the given one, else the data folder's; null where there is neither. */
export const findKeyring = async ({
  secretsKeys,
  dataDir,
}: Pick<PostroomConfig, 'secretsKeys' | 'dataDir'>): Promise<string | null> =>
  secretsKeys ?? (await readInstallation(dataDir))?.secretsKeys ?? null;
