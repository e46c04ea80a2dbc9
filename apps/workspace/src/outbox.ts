import { join, resolve } from 'node:path';
import { startOutboxSink } from '@postroom/mail';
import type { Lifecycle } from '@postroom/service';
import type { WorkspaceConfig } from './config.js';

/** Where outgoing mail goes that no mailbox's own server takes. */
export interface Outbox {
  readonly smtpUrl: string;
  /** Where it is kept as files; null for a server that sends it on. */
  readonly folder: string | null;
}

/** The folder of the outgoing mail that stays on this machine. */
export const outboxFolder = ({ dataDir }: WorkspaceConfig): string => join(dataDir, 'outbox');

/** The operator's server, or, without one, a sink of our own: nothing leaves the machine unasked. */
export async function openOutbox(config: WorkspaceConfig, lifecycle: Lifecycle): Promise<Outbox> {
  if (config.outgoingSmtpUrl !== null) return { smtpUrl: config.outgoingSmtpUrl, folder: null };
  const folder = resolve(outboxFolder(config));
  const sink = await startOutboxSink(folder);
  lifecycle.onStop('outbox', () => sink.close());
  return { smtpUrl: sink.url, folder };
}
