import type { KeyCaller } from '@postroom/access';

/** What a server of the bench is told when it starts; it travels to its process as JSON. */
export interface Setup {
  /** By schema, the URL its service signs in with. */
  readonly databaseUrls: Readonly<Record<'access' | 'blobs' | 'mail', string>>;
  /** By service, the key that callers are signed with, base64. */
  readonly callerKeys: { readonly access: string; readonly mail: string };
  readonly secretsKeys: string;
  readonly facts: SeededFacts;
  /** For servers that are on Kafka, `host:port`; null for the others. */
  readonly brokers: string | null;
  /** Where mail goes; null for nowhere. */
  readonly outgoingUrl: string | null;
}

/** What the database was seeded with. */
export interface SeededFacts {
  readonly mailbox: string;
  /** The API key as a client presents it, and who it is to the services. */
  readonly apiKey: string;
  readonly caller: KeyCaller;
  /** Conversations of the mailbox. */
  readonly conversationIds: readonly string[];
}

/** Parent to server. */
export type Order = { readonly start: Setup } | 'cpu' | 'memory';

/** Server to parent. */
export type Report =
  | { readonly port: number; readonly smtpPort?: number }
  | { readonly cpuMs: number }
  | { readonly memoryMb: number };
