import { Database } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { startReminders } from '../reminders/index.js';

/** A process that publishes reminders until it is killed. Its argument is the URL of the database. */
const [, , url = ''] = process.argv;
const database = await Database.connect({ url, schema: 'scheduling', entities: [] });
startReminders({ database, log: createLog({ level: 'silent', format: 'json' }) });
// The loop itself keeps no process alive.
setInterval(() => undefined, 60_000);
