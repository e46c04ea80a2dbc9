import type { LogLevel } from '@postroom/service';
import type { MailConfig } from '../config.js';
import type { Ports } from '../smtp/index.js';

/** What the intake's thread is given when it is started. */
export interface IntakeTask {
  readonly config: MailConfig;
  readonly logLevel: LogLevel;
}

/** The main thread to the intake's. */
export type Order = 'listen' | 'close';

/** The intake's thread to the main one. */
export type Report =
  | { readonly kind: 'listening'; readonly ports: Ports }
  /** It does not listen. */
  | { readonly kind: 'refused'; readonly fault: ListenFault }
  /** Events of a delivery stand in the outbox. */
  | { readonly kind: 'events' }
  /** A line of the log, as JSON. */
  | { readonly kind: 'logged'; readonly line: string };

/** Why it does not listen: what survives of an error on the way between threads. */
export interface ListenFault {
  readonly message: string;
  /** Of a system error. */
  readonly code?: string;
  /** The port that could not be had. */
  readonly port?: number;
}
