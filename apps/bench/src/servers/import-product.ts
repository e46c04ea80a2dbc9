import { callerKey, type Caller } from '@postroom/access';
import { InProcessBus } from '@postroom/bus';
import {
  importSteps,
  newId,
  recordOf,
  serviceNames,
  type BegunImport,
  type ImportProgress,
} from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import { Client } from 'pg';
import { messageOf } from '../imports/messages.js';
import type { StoringOrder, StoringPlace, StoringReport } from '../imports/run.js';
import { cpuMsSoFar, obey } from '../rig/obey.js';
import { startMail } from './start-product.js';

/** Base64 characters of a batch, as the gateway makes them. */
const batchCharactersMax = 240 * 1024;

/** Imports over the product's bus into its mail service, in the steps that the gateway makes of a file. */
let take: ((first: number, messages: readonly string[]) => Promise<void>) | undefined;
let close: (() => Promise<void>) | undefined;

async function start({ setup, adminUrl }: StoringPlace): Promise<void> {
  const bus = new InProcessBus();
  await bus.subscribe('audit', ['audit'], () => Promise.resolve());
  const mail = await startMail(setup, bus);
  close = () => mail.close();
  const { callerKeys, facts } = setup;
  const keys = recordOf(serviceNames, (name) => callerKey(Buffer.from(callerKeys[name], 'base64')));
  const operations = new OperationClient(bus, keys);
  const caller: Caller = { ...facts.caller, admin: true };
  const call = async <T>(operation: (typeof importSteps)['take' | 'begin'], input: object) => {
    const { status, body } = await operations.call(operation, caller, input, {
      requestId: newId('req'),
      idempotencyKey: newId('req'),
    });
    if (status !== 200) throw new Error(`${operation.id}: ${status} ${body.toString()}`);
    return JSON.parse(body.toString()) as T;
  };
  const { id } = await call<BegunImport>(importSteps.begin, {
    mailboxId: await mailboxIdOf(adminUrl, facts.mailbox),
  });
  take = async (first, messages) => {
    for (let done = 0; done < messages.length;) {
      const input = { id, first: first + done, messages: messages.slice(done), bytesRead: 0 };
      const progress = await call<ImportProgress>(importSteps.take, input);
      if (progress.duplicates + progress.unparsed > 0) throw new Error(JSON.stringify(progress));
      done = progress.done - first;
    }
  };
}

async function mailboxIdOf(adminUrl: string, address: string): Promise<string | undefined> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM mail.mailboxes WHERE address = $1',
    [address],
  );
  await client.end();
  return rows[0]?.id;
}

async function store(first: number, count: number): Promise<void> {
  let batch: string[] = [];
  let characters = 0;
  let at = first;
  const send = async (): Promise<void> => {
    await take?.(at, batch);
    at += batch.length;
    batch = [];
    characters = 0;
  };
  for (let n = first; n < first + count; n += 1) {
    const text = messageOf('product', n).toString('base64');
    if (characters + text.length > batchCharactersMax) await send();
    batch.push(text);
    characters += text.length;
  }
  await send();
}

obey(
  async (order: StoringOrder): Promise<StoringReport> => {
    if ('start' in order) {
      await start(order.start);
      return {};
    }
    const [began, cpuBefore] = [performance.now(), cpuMsSoFar()];
    await store(order.first, order.count);
    return { ms: performance.now() - began, cpuMs: cpuMsSoFar() - cpuBefore };
  },
  () => close?.(),
);
