import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { freePort } from '@postroom/testing';
import { keyOf } from './wire.js';
import { Workplace } from './workplace.js';

const page = new URL('../../../docs/integrating.md', import.meta.url);

it('the program of docs/integrating.md makes a copy, keeps it in step, and works on it', async () => {
  const text = await readFile(page, 'utf8');
  const blocks = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block]) => block);
  const body = JSON.parse(/settings\/api\/keys -d '([^']*)'/.exec(text)?.[1] ?? '') as object;
  const place = await Workplace.open('acme');
  const mailbox = await place.mailbox();
  const reader = await place.keyFor(mailbox);
  await place.receive(reader, mailbox, {
    from: 'camille@correspondent.example',
    text: 'Where is it?',
    attachments: [{ filename: 'order.txt', content: 'Order 7' }],
  });
  const mailboxes = [{ address: mailbox, access: 'write' }];
  const { secret } = keyOf(await place.settings.post('/keys', { ...body, mailboxes }));
  const port = await freePort();
  const events = ['conversation.labeled'];
  const url = `http://127.0.0.1:${port}/`;
  const subscribed = await place.settings.post('/webhooks', { url, events });
  const { secret: webhookSecret } = JSON.parse(subscribed.text) as { secret: string };

  const folder = await mkdtemp(join(tmpdir(), 'postroom-integrating-'));
  const program = join(folder, 'integrating.mjs');
  await writeFile(program, blocks.join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      ...{ POSTROOM_URL: place.product.baseUrl, POSTROOM_API_KEY: secret },
      ...{ POSTROOM_MAILBOX: mailbox, POSTROOM_WEBHOOK_PORT: String(port) },
      POSTROOM_WEBHOOK_SECRET: webhookSecret,
    },
    timeout: 90_000,
  });
  await rm(folder, { recursive: true });
  expect(stdout.trim().split('\n')).toEqual([
    'copied 1',
    'message of camille@correspondent.example: Where is it?',
    'file order.txt: 7 of 7 bytes',
    'repeated: hit',
    'in step: crm pending',
    'told: crm,told',
  ]);
});
