import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../rig/connection.js';
import type { LargeSenderOrder, LargeSenderReport, LargeSenderTask } from './large-sender.js';
import { largeSend, sendHead } from './requests.js';

/** Clients that send the largest message, each again as soon as it is answered, from `go` to `stop`. */
const { port, mailbox, apiKey, atOnce } = workerData as LargeSenderTask;
const body = largeSend(mailbox);
let isSending = false;
let sent = 0;

async function client(): Promise<void> {
  const connection = await Connection.open(port);
  while (isSending) {
    const head = Buffer.from(sendHead(apiKey, body.length, `bench-${randomUUID()}`));
    const { status, body: said } = await connection.ask(head, body);
    if (status !== 200) throw new Error(`answered ${status}: ${said.toString().slice(0, 300)}`);
    sent += 1;
  }
  connection.close();
}

async function send(): Promise<void> {
  sent = 0;
  await Promise.all(Array.from({ length: atOnce }, client));
  parentPort?.postMessage({ sent } satisfies LargeSenderReport);
}

parentPort?.on('message', (order: LargeSenderOrder) => {
  isSending = order === 'go';
  if (isSending) void send();
});
