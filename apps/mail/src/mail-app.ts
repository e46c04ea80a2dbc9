import type { Unsubscribe } from '@postroom/bus';
import { MessageParser } from '@postroom/mime';
import {
  createService,
  eventsCommitted,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { Database } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';
import { MailConfig } from './config.js';
import { learnContacts } from './contacts/index.js';
import { InboundThread, type Ports } from './inbound/index.js';
import { gauges } from './conversations/index.js';
import { learnDecisions } from './invitations/index.js';
import { learnLinks } from './links/index.js';
import { MailboxEntity, requireSharedMailbox, visibleMailboxes } from './mailboxes/index.js';
import { MailModule } from './mail.module.js';
import { maintenanceJobs } from './maintenance-jobs.js';
import { mailSchema, mailSeals } from './migrations/index.js';
import { quotasOf } from './quotas/index.js';
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
  // First, since it loads its modules beside this thread's.
  const inbound = new InboundThread({
    config: inboundConfig,
    log,
    eventsCommitted: () => eventsCommitted(service.get(Database)),
  });
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const service = await createService({
    name: 'mail',
    config: own,
    process,
    entities: [MailboxEntity],
    sealed: mailSeals,
    jobs: maintenanceJobs,
    gauges,
    quotas: quotasOf(config),
    visible: visibleMailboxes,
    memberRights: requireSharedMailbox,
    module: () => MailModule.from(parser),
  }).catch(async (error: unknown) => {
    await Promise.all([inbound.close(), parser.close()]);
    throw error;
  });
  const learning: Unsubscribe[] = [];
  return {
    ...service,
    async listen() {
      await service.listen();
      const database = service.get(Database);
      watchUnknownSends(process.metrics, database);
      watchThreads(process.metrics, parser);
      learning.push(await learnContacts(process.bus, database));
      learning.push(await learnLinks(process.bus, database));
      learning.push(await learnDecisions(process.bus, database));
      await inbound.listen();
    },
    async close() {
      service.get(Attempts).stopSoon();
      for (const stop of learning) await stop();
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
  sendsRequests: false,
};

/** Messages of imports and the like; those that arrive have threads of their own, and SMTP's limits. */
const watchThreads = (metrics: Metrics, parser: MessageParser): void =>
  metrics.gauge(
    { name: 'postroom_parsing_waiting', help: 'Messages that wait for a parsing thread.' },
    () => [{ value: parser.waiting }],
  );

/**
 * The configuration of the operations and that of the inbound thread. However much mail is received,
 * requests find a connection to PostgreSQL, and the two have no more than the process is allowed; a request holds one
 * for several round trips, so that each that they lack is felt.
 */
function sharesOf(config: MailConfig): readonly [MailConfig, MailConfig] {
  const inbound = Math.max(1, Math.floor(config.poolSize / 4));
  const withPool = (poolSize: number): MailConfig =>
    Object.assign(new MailConfig(), config, { poolSize });
  return [withPool(config.poolSize - inbound), withPool(inbound)];
}
