import { expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOutboxServer } from '@postroom/local';
import { createTransport } from 'nodemailer';
import { findInOutbox } from './transport.js';

it('finds the messages that the SMTP server of the demo keeps, by their Message-ID', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-outbox-'));
  const server = await startOutboxServer(folder);
  const [from, to] = ['a@x.test', 'b@x.test'];
  await createTransport(server.url).sendMail({ from, to, messageId: '<one@x.test>' });
  expect(await findInOutbox(folder, 'one@x.test')).toBe(true);
  expect(await findInOutbox(folder, 'two@x.test')).toBe(false);
  await server.close();
  await rm(folder, { recursive: true, force: true });
  expect(await findInOutbox(folder, 'one@x.test')).toBe(false);
});
