import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { newId, signatureHeaders, webhookSecret } from '@postroom/contracts';
import { freePort } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { repository } from './documented-commands.js';
import { Workplace } from './workplace.js';

/** The programs of the page one after another, the first for all, with what they leave open. */
function program(mailbox: string, port: number): string {
  const page = readFileSync(join(repository, 'docs/sdk.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const imported = new Map<string, Set<string>>();
  for (const block of blocks)
    for (const [, names = '', from = ''] of block.matchAll(/^import \{ (.+) \} from '(.+)';$/gm))
      imported.set(from, new Set([...(imported.get(from) ?? []), ...names.split(', ')]));
  const [first = '', ...others] = blocks.map((block) => block.replaceAll(/^import .*;$/gm, ''));
  return [
    ...[...imported].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}';`),
    "const { baseUrl, agentKey: apiKey, ...given } = JSON.parse(process.env.GIVEN ?? '');",
    'const { id, lastMessageId, mailbox, to, subject, request } = given;',
    "const file = new File(['Ten.'], 'price list.txt', { type: 'text/plain' });",
    first.replace(/baseUrl: '.*'/, 'baseUrl'),
    ...others.map((block) => `{ const body = given.body; ${block} }`),
  ]
    .join('\n')
    .replace('support@acme.test', mailbox)
    .replace('listen(4000,', `listen(${port},`);
}

it('the programs of docs/sdk.md run', async () => {
  const place = await Workplace.open('acme');
  const mailbox = await place.mailbox();
  const scopes = ['read:conversations', 'write:conversations', 'mail:send'];
  const api = await place.keyFor(mailbox, { scopes });
  const agent = await place.keyFor(mailbox, {
    ...{ kind: 'agent', approval: 'required', scopes: ['drafts:write'] },
  });
  const from = 'camille@correspondent.example';
  const { id } = await place.receive(api, mailbox, { from, subject: 'A copy', text: 'Where?' });
  const event = { id: newId('evn'), type: 'message.sent', data: { message: { subject: 'Left' } } };
  const body = JSON.stringify(event);
  const secret = webhookSecret(Buffer.alloc(32, 1));
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders({ id: event.id, timestamp, body: Buffer.from(body) }, [secret]);
  const given = {
    ...{ baseUrl: place.product.baseUrl, agentKey: agent.key, id, mailbox, body },
    ...{ lastMessageId: id, to: from, subject: 'By the page', request: { headers } },
  };

  const folder = mkdtempSync(join(tmpdir(), 'postroom-sdk-guide-'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const port = await freePort();
  writeFileSync(join(folder, 'guide.mts'), program(mailbox, port));
  const child = spawn(process.execPath, [join(folder, 'guide.mts')], {
    env: {
      ...{ NODE_OPTIONS: '--no-warnings', POSTROOM_API_KEY: api.key },
      ...{ POSTROOM_WEBHOOK_SECRET: secret, GIVEN: JSON.stringify(given) },
    },
    timeout: 60_000,
  });
  let printed = '';
  let approved = false;
  child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
  child.stdout.on('data', (text: Buffer) => {
    printed += text.toString();
    const [, approval] = /waits: (\w+)/.exec(printed) ?? [];
    if (approval === undefined || approved) return;
    approved = true;
    void place.settings.post(`/approvals/${approval}/approve`, {});
  });
  await until(() => printed.includes('Left'));
  const post = (sent: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent });
  await until(() =>
    post(body).then(
      ({ status }) => status === 204,
      () => false,
    ),
  );
  expect((await post(`${body} `)).status).toBe(401);
  // It answers first, and tells then.
  await until(() => printed.includes(event.id));
  child.kill();
  await once(child, 'close');
  rmSync(folder, { recursive: true });
  expect(printed.split('\n')).toEqual([
    'A copy',
    expect.stringMatching(/^waits: apr_/),
    'Left',
    `message.sent ${event.id}`,
    '',
  ]);
});
