import { join, resolve } from 'node:path';
import { startOutboxServer } from '@postroom/local';
import type { Lifecycle } from '@postroom/service';
import type { PostroomConfig } from './config.js';

/** The destination of outgoing mail whose mailbox has no server of its own. */
export interface Outbox {
  readonly smtpUrl: string;
  /** The folder that stores it as files; null for a server that relays it. */
  readonly folder: string | null;
}

/** The folder of outgoing mail that stays on this machine. */
export const outboxFolder = ({ dataDir }: PostroomConfig): string => join(dataDir, 'outbox');

/** The operator's server, or our own SMTP server: no mail leaves the machine by default. */
export async function openOutbox(config: PostroomConfig, lifecycle: Lifecycle): Promise<Outbox> {
  if (config.outgoingSmtpUrl !== null) return { smtpUrl: config.outgoingSmtpUrl, folder: null };
  const folder = resolve(outboxFolder(config));
  const server = await startOutboxServer(folder);
  lifecycle.onStop('outbox', () => server.close());
  return { smtpUrl: server.url, folder };
}
