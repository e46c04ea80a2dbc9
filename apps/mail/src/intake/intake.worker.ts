import { parentPort, workerData } from 'node:worker_threads';
import { MessageParser } from '@postroom/mime/parser';
import { onEvents, UnitOfWork } from '@postroom/operations/plain';
import { Database } from '@postroom/persistence';
import { createLog } from '@postroom/service/plain';
import { lowerPriority, lowerV8Priority } from '@postroom/service/threads';
import { Ingest } from '../inbound/index.js';
import { MailDrop, MailListeners, Recipients } from '../smtp/index.js';
import type { IntakeTask, ListenFault, Order, Report } from './messages.js';

/** What the intake's thread runs; it is told what to do, and says what happens, by messages. */
async function serve(main: NonNullable<typeof parentPort>, task: IntakeTask): Promise<void> {
  const { config, logLevel } = task;
  const report = (said: Report): void => main.postMessage(said);
  const to = { write: (line: string) => report({ kind: 'logged', line }) };
  const log = createLog({ level: logLevel, format: 'json', to });
  const database = await Database.connect({
    url: config.databaseUrl,
    schema: 'mail',
    entities: [],
    poolSize: config.poolSize,
  });
  onEvents(database, () => report({ kind: 'events' }));
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const ingest = new Ingest(config, new UnitOfWork(database));
  const drop = new MailDrop(parser, ingest, log);
  const listeners = new MailListeners(config, new Recipients(database), drop, log);
  // Only now: who starts the process waits for this thread too.
  lowerPriority('below normal');
  lowerV8Priority();

  const listen = async (): Promise<void> => {
    try {
      report({ kind: 'listening', ports: await listeners.listen() });
    } catch (error) {
      report({ kind: 'refused', fault: faultOf(error) });
    }
  };
  const close = async (): Promise<void> => {
    await listeners.close();
    await parser.close();
    await database.close();
    // Nothing is left that would keep the thread.
    main.close();
  };
  const obey = { listen, close } satisfies Record<Order, () => Promise<void>>;
  main.on('message', (order: Order) => void obey[order]());
}

function faultOf(error: unknown): ListenFault {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  const port = 'port' in error ? { port: Number(error.port) } : {};
  return { message, ...code, ...port };
}

if (!parentPort) throw new Error('This module is run by a thread.');
await serve(parentPort, workerData as IntakeTask);
