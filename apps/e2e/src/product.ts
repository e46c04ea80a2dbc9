import { readFile } from 'node:fs/promises';
import { sharedProductFile } from './config.js';

/** Someone who can sign in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A workspace of the demo, as `demo.json` tells it (`decisions.md` §10). */
export interface DemoTenant {
  readonly id: string;
  readonly name: string;
  readonly admin: Person;
  readonly member: Person;
  readonly mailboxes: readonly string[];
  readonly keys: Readonly<Record<'admin' | 'human' | 'readOnly' | 'agent' | 'agentDirect', string>>;
}

/** All that the suite knows of what it tests: addresses and the demo's credentials. */
export interface Product {
  /** With `/public`, without a slash at the end. */
  readonly baseUrl: string;
  /** With `/settings/api`. */
  readonly settingsUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly outbox: string;
  readonly tenants: readonly DemoTenant[];
  /** Its processes, where it is made of several. */
  readonly instances?: readonly Instance[];
}

/** One process of a product. */
export interface Instance {
  readonly service: 'gateway' | 'mail';
  readonly instance: string;
  readonly baseUrl?: string;
  readonly healthUrl: string;
  readonly smtp?: { readonly host: string; readonly port: number };
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly pid: number;
}

/** How a product ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Ports that still accept connections, and processes that are still there. */
  readonly leftovers: readonly string[];
}

/** Settings of a product as environment variables: `RATE_LIMIT_PER_MINUTE` and the like. */
export type Settings = Readonly<Record<string, string>>;

/** What of a product can be killed; only a cluster has a broker. */
export type Part = 'services' | 'database' | 'broker' | 'everything';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A product that the test started, whatever it is made of. */
export interface RunningProduct {
  readonly product: Product;
  readonly demoFile: string;
  /** What it has printed so far. */
  output(): string;
  /** Asks it to stop, as Ctrl-C does unless told otherwise. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<Ending>;
  /** SIGKILL. */
  kill(what: Part): Promise<void>;
  /** Runs one of the operator's commands on it. */
  command(...args: readonly string[]): Promise<CommandResult>;
  /**
   * Starts it again on the same data and ports, once it has ended; resolves when it is ready.
   * `settings` are environment variables of this one start.
   */
  restart(settings?: Settings): Promise<void>;
  /** Ends it, if need be, and deletes its data. */
  remove(): Promise<void>;
}

/** Reads what a product says of itself. */
export async function readProduct(demoFile: string): Promise<Product> {
  return JSON.parse(await readFile(demoFile, 'utf8')) as Product;
}

/** The product that the spec files share: change only what your file made. */
export const sharedProduct = (): Promise<Product> => readProduct(sharedProductFile());

/** A workspace of the demo by its name. */
export function tenantOf(product: Product, name: 'acme' | 'globex'): DemoTenant {
  const tenant = product.tenants.find((one) => one.name === name);
  if (!tenant) throw new Error(`demo.json has no workspace ${name}.`);
  return tenant;
}
