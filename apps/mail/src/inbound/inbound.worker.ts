import { parentPort, workerData } from 'node:worker_threads';
import { limitUse } from '@postroom/limits';
import { MessageParser } from '@postroom/mime/parser';
import { onEvents, UnitOfWork } from '@postroom/operations/unit-of-work';
import { Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { createLog } from '@postroom/service/log';
import { lowerPriority, lowerV8Priority } from '@postroom/service/threads';
import type { MailConfig } from '../config.js';
import type { SenderAuthentication } from './authentication/sender-authentication.js';
import { HistoryStore } from './history-store.js';
import { InboundDelivery } from './inbound-delivery.js';
import { InboundStore } from './inbound-store.js';
import { MailboxLookup } from './mailbox-lookup.js';
import { MailListeners } from './smtp/mail-listeners.js';
import type {
  Command,
  HistoryTask,
  InboundThreadData,
  ListenError,
  Report,
} from './inbound-thread.js';

/** The process shows how its limits are used. */
const limitsEveryMs = 5_000;

/** Runs in the inbound thread: the main thread sends it commands, and it reports what happens. */
async function serve(main: NonNullable<typeof parentPort>, data: InboundThreadData): Promise<void> {
  const { config, logLevel } = data;
  const report = (what: Report): void => main.postMessage(what);
  const to = { write: (line: string) => report({ kind: 'logged', line }) };
  const log = createLog({ level: logLevel, format: 'json', to });
  const database = await Database.connect({
    url: config.databaseUrl,
    schema: 'mail',
    entities: [],
    poolSize: config.poolSize,
  });
  setInterval(() => report({ kind: 'limits', use: limitUse() }), limitsEveryMs).unref();
  onEvents(database, () => report({ kind: 'events' }));
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const unit = new UnitOfWork(database);
  const store = new InboundStore(config, unit);
  const histories = new HistoryStore(parser, store, unit);
  const delivery = new InboundDelivery(parser, store, log);
  const mailboxes = new MailboxLookup(config, database);
  const senders = config.mailAuth === 'on' ? await senderAuthentication(config, log) : null;
  const listeners = new MailListeners(config, mailboxes, delivery, senders, log, (outcome) => {
    report({ kind: 'received', outcome });
  });
  // The priority is lowered after the start, since the process waits for this thread to be ready.
  lowerPriority('low');
  lowerV8Priority();

  const listen = async (): Promise<void> => {
    try {
      report({ kind: 'listening', ports: await listeners.listen() });
    } catch (error) {
      report({ kind: 'failed', error: listenErrorOf(error) });
    }
  };
  const close = async (): Promise<void> => {
    await listeners.close();
    await histories.ended();
    await parser.close();
    await database.close();
    // The port is the last thing that keeps the thread alive.
    main.close();
  };
  const commands = { listen, close } satisfies Record<Command, () => Promise<void>>;
  main.on('message', (command: Command | HistoryTask) => {
    if (typeof command === 'string') void commands[command]();
    else histories.startStoring(command);
  });
}

/** Loads mailauth only if it is configured: it takes 30 MB. */
async function senderAuthentication(config: MailConfig, log: Log): Promise<SenderAuthentication> {
  const { SenderAuthentication } = await import('./authentication/sender-authentication.js');
  return new SenderAuthentication(config, log);
}

function listenErrorOf(error: unknown): ListenError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  const port = 'port' in error ? { port: Number(error.port) } : {};
  return { message, ...code, ...port };
}

if (!parentPort) throw new Error('This module runs in a thread.');
await serve(parentPort, workerData as InboundThreadData);
