const sharedProductVariable = 'POSTROOM_E2E_PRODUCT';

/** Where `demo.json` of the product that the spec files share is to be found. */
export function sharedProductFile(): string {
  const file = process.env[sharedProductVariable];
  if (file === undefined)
    throw new Error('No shared product: run the suite through its Jest project.');
  return file;
}

/** Tells the spec files, which Jest runs in other contexts and processes, of the shared product. */
export function announceSharedProduct(file: string): void {
  process.env[sharedProductVariable] = file;
}

const topologyVariable = 'POSTROOM_E2E_TOPOLOGY';

/** What a product is made of: one process, or several over Kafka. */
export type Topology = 'process' | 'cluster';

/** Which products this run starts. */
export const topology = (): Topology =>
  process.env[topologyVariable] === 'cluster' ? 'cluster' : 'process';

/** Tells the spec files what this run starts. */
export function announceTopology(chosen: Topology): void {
  process.env[topologyVariable] = chosen;
}

const brokersVariable = 'KAFKA_BROKERS';

/** A Kafka that is there already, to be used instead of a broker of each product's own. */
export const kafkaBrokers = (): string | undefined => process.env[brokersVariable] || undefined;

/** Tells the spec files of a broker that their products share. */
export function announceBrokers(brokers: string): void {
  process.env[brokersVariable] = brokers;
}

const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'USER', 'LOGNAME', 'SHELL', 'XDG_CACHE_HOME'];

/**
 * The environment of a product under test: what a shell gives, and the settings of the test. What
 * the caller's environment says of a product (a `DATABASE_URL`, say) stays out.
 */
export function productEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const given = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...settings };
}
