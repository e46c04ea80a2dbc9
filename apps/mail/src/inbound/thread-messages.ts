import type { LogLevel } from '@postroom/service';
import type { MailConfig } from '../config.js';
import type { Ports } from './smtp/mail-listeners.js';

/** The data that the inbound thread is started with. */
export interface InboundThreadData {
  readonly config: MailConfig;
  readonly logLevel: LogLevel;
}

/** A command of the main thread to the inbound thread. */
export type Command = 'listen' | 'close';

/** A report of the inbound thread to the main thread. */
export type Report =
  | { readonly kind: 'listening'; readonly ports: Ports }
  /** It cannot listen. */
  | { readonly kind: 'failed'; readonly error: ListenError }
  /** A delivery has left events in the outbox. */
  | { readonly kind: 'events' }
  /** A line of the log, as JSON. */
  | { readonly kind: 'logged'; readonly line: string };

/** Why it cannot listen: what remains of an error that is passed between threads. */
export interface ListenError {
  readonly message: string;
  /** The code of a system error. */
  readonly code?: string;
  /** The port that could not be bound. */
  readonly port?: number;
}
