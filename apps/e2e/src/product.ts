import { readFile } from 'node:fs/promises';
import type { AppName } from '@postroom/contracts';
import { sharedProductFile } from './config.js';

/** Someone who can sign in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A workspace of the demo, as in `demo.json` (`decisions.md` §10). */
export interface DemoTenant {
  readonly id: string;
  readonly name: string;
  readonly admin: Person;
  readonly member: Person;
  readonly mailboxes: readonly string[];
  readonly keys: Readonly<Record<'admin' | 'human' | 'readOnly' | 'agent' | 'agentDirect', string>>;
}

/** The suite's knowledge of the product: addresses and the demo's credentials. */
export interface Product {
  /** Includes `/public`, without a trailing slash. */
  readonly baseUrl: string;
  /** Includes `/settings/api`. */
  readonly settingsUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly outbox: string;
  readonly tenants: readonly DemoTenant[];
  /** The processes of a cluster. */
  readonly instances?: readonly Instance[];
}

/** One process of a product. */
export interface Instance {
  readonly service: AppName;
  readonly instance: string;
  readonly baseUrl?: string;
  readonly healthUrl: string;
  readonly smtp?: { readonly host: string; readonly port: number };
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly pid: number;
}

/** The end of a product. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Ports that still accept connections, and processes that still exist. */
  readonly leftovers: readonly string[];
}

/** Settings of a product as environment variables: `RATE_LIMIT_PER_MINUTE` and the like. */
export type Settings = Readonly<Record<string, string>>;

/** The parts that can be killed; only a cluster has a broker. */
export type Part = 'services' | 'database' | 'broker' | 'everything';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A product that the test started, in one process or as a cluster. */
export interface RunningProduct {
  readonly product: Product;
  readonly demoFile: string;
  /** Its output so far. */
  output(): string;
  /** Stops it, by default with the signal of Ctrl-C. */
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

/** Reads `demo.json`. */
export async function readProduct(demoFile: string): Promise<Product> {
  return JSON.parse(await readFile(demoFile, 'utf8')) as Product;
}

/** The product that the spec files share: a file changes only what it has created. */
export const sharedProduct = (): Promise<Product> => readProduct(sharedProductFile());

/** A workspace of the demo by its name. */
export function tenantOf(product: Product, name: 'acme' | 'globex'): DemoTenant {
  const tenant = product.tenants.find((one) => one.name === name);
  if (!tenant) throw new Error(`demo.json has no workspace ${name}.`);
  return tenant;
}
