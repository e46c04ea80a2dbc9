import type { KeyCaller } from '@postroom/access';
import type { ServiceName } from '@postroom/contracts';

/** The parameters of a server of the bench, passed to its process as JSON. */
export interface Setup {
  /** By schema, the database URL of its service. */
  readonly databaseUrls: Readonly<
    Record<'access' | 'blobs' | 'directory' | 'mail' | 'scheduling', string>
  >;
  /** By service, the key that callers are signed with, base64. */
  readonly callerKeys: Readonly<Record<ServiceName, string>>;
  readonly secretsKeys: string;
  readonly facts: SeededFacts;
  /** `host:port` of Kafka; null for servers without it. */
  readonly brokers: string | null;
  /** The server for outgoing mail; null for none. */
  readonly outgoingUrl: string | null;
}

/** The seeded records. */
export interface SeededFacts {
  readonly mailbox: string;
  /** The API key as a client presents it, and who it is to the services. */
  readonly apiKey: string;
  readonly caller: KeyCaller;
  /** Conversations of the mailbox. */
  readonly conversationIds: readonly string[];
}

/** From the parent to the server. */
export type Order = { readonly start: Setup } | 'cpu' | 'memory';

/** From the server to the parent. */
export type Report =
  | { readonly port: number; readonly smtpPort?: number }
  | { readonly cpuMs: number }
  | { readonly memoryMb: number };
