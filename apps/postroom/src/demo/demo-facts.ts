import type { Instance } from '../in-process.js';

/** The content of `demo.json` (`decisions.md` §10). */
export interface DemoFacts {
  readonly baseUrl: string;
  readonly settingsUrl: string;
  readonly consoleUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /** Present where LMTP_PORT is set. */
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly outbox: string;
  readonly tenants: readonly DemoTenant[];
  /** The processes of a cluster. */
  readonly instances?: readonly Instance[];
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface DemoTenant {
  readonly id: string;
  readonly name: string;
  readonly admin: Credentials;
  readonly member: Credentials;
  readonly mailboxes: readonly string[];
  readonly keys: Readonly<Record<DemoKey, string>>;
}

export type DemoKey = 'admin' | 'human' | 'readOnly' | 'agent' | 'agentDirect';
