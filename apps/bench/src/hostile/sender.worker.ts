import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { parentPort, workerData } from 'node:worker_threads';
import { ordinaryMessage, worstMessages } from './messages.js';
import type { SenderOrder, SenderReport, SenderTask } from './sender.js';

/** One client that sends messages, one after the other, from `go` to `stop`, over a connection that it opens then. */
const { port, mailbox, isOrdinary = false } = workerData as SenderTask;
const worst = isOrdinary ? [] : worstMessages();
let isSending = false;

type Say = (line: string | Buffer, code: string) => Promise<void>;

async function talk(work: (say: Say) => Promise<void>): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const replies = createInterface(socket)[Symbol.asyncIterator]();
  const say: Say = async (line, code) => {
    socket.write(line);
    const { value } = (await replies.next()) as { value?: string };
    if (!value?.startsWith(code)) throw new Error(`answered ${value ?? 'nothing'}, not ${code}`);
  };
  await say('', '220');
  await say('HELO bench.example\r\n', '250');
  await work(say);
  socket.destroy();
}

let next = 0;
async function send(): Promise<void> {
  let sent = 0;
  await talk(async (say) => {
    for (; isSending; sent += 1) {
      await say('MAIL FROM:<a@b.example>\r\n', '250');
      await say(`RCPT TO:<${mailbox}>\r\n`, '250');
      await say('DATA\r\n', '354');
      await say(worst[next % worst.length] ?? ordinaryMessage(mailbox), '250');
      next += 1;
    }
  });
  parentPort?.postMessage({ sent } satisfies SenderReport);
}

parentPort?.on('message', (order: SenderOrder) => {
  isSending = order === 'go';
  if (isSending) void send();
});
