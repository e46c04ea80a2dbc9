import {
  createService,
  eventsCommitted,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { MailConfig } from './config.js';
import { Intake } from './intake/index.js';
import { MailboxEntity } from './mailboxes/index.js';
import { MailModule } from './mail.module.js';
import { maintenanceJobs } from './maintenance-jobs.js';
import { mailSchema } from './migrations/index.js';
import { MessageParser } from './parsing/index.js';
import { Attempts } from './sends/index.js';
import type { Ports } from './smtp/index.js';

/** The mail service as a process or a composition runs it. */
export interface MailApp extends Service {
  /** The ports that mail arrives on, while it listens. */
  readonly mailPorts: () => Ports;
}

/** Builds the mail service from its configuration and a bus. */
export async function createMailApp(
  config: MailConfig,
  { bus, log }: Pick<ProcessParts, 'bus' | 'log'>,
): Promise<MailApp> {
  const [own, intakes] = sharesOf(config);
  // First, since it loads its modules beside this thread's.
  const intake = new Intake({
    config: intakes,
    log,
    eventsCommitted: () => eventsCommitted(service.get(Database)),
  });
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const service = await createService({
    name: 'mail',
    config: own,
    bus,
    log,
    entities: [MailboxEntity],
    jobs: maintenanceJobs,
    module: () => MailModule.from(parser),
  });
  return {
    ...service,
    async listen() {
      await service.listen();
      await intake.listen();
    },
    async close() {
      service.get(Attempts).stopSoon();
      await intake.close();
      await service.close();
      await parser.close();
    },
    mailPorts: () => intake.ports,
  };
}

/** Conversations, search, drafts, sends and arriving mail. */
export const mailService: ServiceDefinition<MailConfig, MailApp> = {
  name: 'mail',
  config: MailConfig,
  schema: mailSchema,
  create: createMailApp,
  sendsRequests: false,
};

/**
 * The operations' and the intake's configuration. However much mail arrives, requests find a
 * connection to PostgreSQL, and the two have no more than the process is allowed; a request holds one
 * for several round trips, so that each that they lack is felt.
 */
function sharesOf(config: MailConfig): readonly [MailConfig, MailConfig] {
  const intakes = Math.max(1, Math.floor(config.poolSize / 4));
  const withPool = (poolSize: number): MailConfig =>
    Object.assign(new MailConfig(), config, { poolSize });
  return [withPool(config.poolSize - intakes), withPool(intakes)];
}
