import { tmpdir } from 'node:os';

const sharedProductVariable = 'POSTROOM_E2E_PRODUCT';

/** The path of the shared product's `demo.json`. */
export function sharedProductFile(): string {
  const file = process.env[sharedProductVariable];
  if (file === undefined)
    throw new Error('No shared product: run the suite through its Jest project.');
  return file;
}

/** Passes the shared product to the spec files, which Jest runs in other processes. */
export function announceSharedProduct(file: string): void {
  process.env[sharedProductVariable] = file;
}

const folderVariable = 'POSTROOM_E2E_FOLDER';

/** The folder of the products and brokers of this run; run-folder.mjs chooses it. */
export const productsFolder = (): string => process.env[folderVariable] ?? tmpdir();

const firstDataVariable = 'POSTROOM_E2E_FIRST_DATA';

/** A data folder as it is after a first start and a stop; undefined where none was kept. */
export const firstData = (): string | undefined => process.env[firstDataVariable];

/** Passes that folder to the spec files. */
export function announceFirstData(folder: string): void {
  process.env[firstDataVariable] = folder;
}

const topologyVariable = 'POSTROOM_E2E_TOPOLOGY';

/** The topology of a product: one process, or several over Kafka. */
export type Topology = 'process' | 'cluster';

/** The topology that this run tests. */
export const topology = (): Topology =>
  process.env[topologyVariable] === 'cluster' ? 'cluster' : 'process';

/** Passes the topology to the spec files. */
export function announceTopology(chosen: Topology): void {
  process.env[topologyVariable] = chosen;
}

const brokersVariable = 'KAFKA_BROKERS';

/** An existing Kafka that products use instead of their own broker. */
export const kafkaBrokers = (): string | undefined => process.env[brokersVariable] || undefined;

/** Passes the shared broker to the spec files. */
export function announceBrokers(brokers: string): void {
  process.env[brokersVariable] = brokers;
}

/** Folder of a checkout of an older version, built, that a drill upgrades to this one. */
export const upgradeFrom = (): string | undefined => process.env['UPGRADE_FROM'] || undefined;

/** Requests a second of the rolling drill; fewer are for machines that are busy with something else. */
export const drillRate = (): number => Number(process.env['DRILL_RATE'] || 50);

const nodeOptionsVariable = 'POSTROOM_E2E_NODE_OPTIONS';

/** Options of Node that products are started with. */
export const nodeOptions = (): readonly string[] =>
  process.env[nodeOptionsVariable]?.split(' ').filter(Boolean) ?? [];

/** Passes them on. */
export function announceNodeOptions(options: readonly string[]): void {
  process.env[nodeOptionsVariable] = options.join(' ');
}

const inherited = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'USER', 'LOGNAME', 'SHELL', 'XDG_CACHE_HOME'],
  ...['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_'],
];

/**
 * The environment of a product under test: the shell's basics and the settings of the test. Settings
 * of the caller's environment, such as `DATABASE_URL`, are left out.
 */
export function productEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const given = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...settings };
}
