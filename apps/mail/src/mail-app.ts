import type { Unsubscribe } from '@postroom/bus';
import { MessageParser } from '@postroom/mime';
import {
  createService,
  eventsCommitted,
  type Gauge,
  type MaintenanceJob,
  type ProcessParts,
  type QuotaLimits,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';
import { MailConfig } from './config.js';
import { contactsModel } from './contacts.js';
import { MailboxOwner } from './imap/index.js';
import { InboundThread, type Ports } from './inbound/index.js';
import { linksModel } from './links.js';
import { MailMetrics } from './mail-metrics.js';
import { MailModule } from './mail.module.js';
import {
  MailboxAccountEntity,
  MailboxEntity,
  requireSharedMailbox,
  visibleInMail,
} from './mailboxes/index.js';
import { mailSchema, mailSeals } from './migrations/index.js';
import { followEvents, invitationDecisions } from './read-models.js';
import { Attempts, watchUnknownSends } from './sends/index.js';

/** The mail service as a process or a composition runs it. */
export interface MailApp extends Service {
  /** The ports that mail is received on, while it listens. */
  readonly mailPorts: () => Ports;
}

/** Builds the mail service from its configuration and a bus. */
export async function createMailApp(config: MailConfig, process: ProcessParts): Promise<MailApp> {
  const { log } = process;
  const [own, inboundConfig] = sharesOf(config);
  const metrics = new MailMetrics(process.metrics);
  // Started first: it loads its modules while this thread loads its own.
  const inbound = new InboundThread({
    config: inboundConfig,
    log,
    eventsCommitted: () => eventsCommitted(service.get(Database)),
    received: (outcome) => metrics.received(outcome),
  });
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const service = await createService({
    name: 'mail',
    config: own,
    process,
    entities: [MailboxEntity, MailboxAccountEntity],
    sealed: mailSeals,
    jobs: [...maintenanceJobs, purgeTrash(config.trashDays)],
    gauges,
    quotas: quotasOf(config),
    visible: visibleInMail,
    memberRights: requireSharedMailbox,
    module: (resources) => MailModule.from(parser, metrics, inbound, resources),
  }).catch(async (error: unknown) => {
    await Promise.all([inbound.close(), parser.close()]);
    throw error;
  });
  const subscriptions: Unsubscribe[] = [];
  return {
    ...service,
    async listen() {
      await service.listen();
      const database = service.get(Database);
      watchUnknownSends(process.metrics, database);
      watchThreads(process.metrics, parser);
      for (const model of [contactsModel, linksModel, invitationDecisions])
        subscriptions.push(await followEvents(process.bus, database, model));
      await inbound.listen();
    },
    async close() {
      service.get(Attempts).stopSoon();
      for (const unsubscribe of subscriptions) await unsubscribe();
      // It has the inbound thread store history.
      await service.get(MailboxOwner).onModuleDestroy();
      await inbound.close();
      await service.close();
      await parser.close();
    },
    mailPorts: () => inbound.ports,
  };
}

/** Conversations, search, drafts, sends and inbound mail. */
export const mailService: ServiceDefinition<MailConfig, MailApp> = {
  name: 'mail',
  config: MailConfig,
  schema: mailSchema,
  sealed: mailSeals,
  create: createMailApp,
  sendsRequests: true,
};

/** The quotas of a workspace in the mail service. */
const quotasOf = (config: MailConfig): QuotaLimits => ({
  mailboxes: config.quotaMailboxes,
  drafts: config.quotaDrafts,
  arrivingBytes: config.quotaArrivingBytes,
  comments: config.quotaComments,
});

/** The current numbers that the analytics show. */
const gauges: readonly Gauge[] = [
  {
    kind: 'conversations.open',
    statement: statement(
      'conversations.count_open',
      'SELECT count_open_conversations($1)::float8 AS amount',
    ),
  },
];

/**
 * Run every minute. They purge warnings that were not confirmed in time, sends whose Idempotency-Key has expired,
 * staged bytes of messages that never left, uploads that no draft has named, mailboxes that were deleted 30 days ago, and
 * counters of mail that arrived on earlier days; and they compare the counters of an inbox with its conversations.
 */
export const maintenanceJobs: readonly MaintenanceJob[] = [
  statement('dlp.purge_warnings', 'SELECT purge_dlp_warnings() AS purged'),
  statement('sends.purge', 'SELECT purge_sends() AS purged'),
  statement('mailboxes.purge', 'SELECT purge_mailboxes() AS purged'),
  statement('originals.purge_staged', 'SELECT purge_staged() AS purged'),
  statement('uploads.purge', 'SELECT purge_uploads() AS purged'),
  statement('quotas.purge_arrivals', 'SELECT purge_arrivals() AS purged'),
  statement('conversations.check_counts', 'SELECT check_inbox_counts() AS checked'),
];

/** Empties trash and spam, every minute. A service declares it as it starts: a process may have several. */
export const purgeTrash = (days: number): MaintenanceJob => ({
  name: `conversations.purge_trash_${days}`,
  text: `SELECT purge_trash(${days}) AS purged`,
});

/** Messages of imports and the like; those that arrive have threads of their own, and SMTP's limits. */
const watchThreads = (metrics: Metrics, parser: MessageParser): void =>
  metrics.gauge(
    { name: 'postroom_parsing_waiting', help: 'Messages that wait for a parsing thread.' },
    () => [{ value: parser.waiting }],
  );

/**
 * The configurations of the operations and of the inbound thread, which share the connections to PostgreSQL. However
 * much mail arrives, requests find one. They have three quarters, because a request holds its connection for several
 * round trips.
 */
function sharesOf(config: MailConfig): readonly [MailConfig, MailConfig] {
  const inbound = Math.max(1, Math.floor(config.poolSize / 4));
  const withPool = (poolSize: number): MailConfig =>
    Object.assign(new MailConfig(), config, { poolSize });
  return [withPool(config.poolSize - inbound), withPool(inbound)];
}
