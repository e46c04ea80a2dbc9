// tags: clients
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { pythonWith, ScriptedSmtp, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { aMessage, receiptOf, newKey, senderFor } from '../sending.js';
import { type OwnKey, Workplace } from '../workplace.js';
import { mailboxOf, pageOf } from '../wire.js';
import { Postfix, postfixMissing } from './postfix.js';

const python = pythonWith(['dkimpy==1.1.8']);
const verifying = `import dkim, sys
print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda *_, **__: sys.argv[1].encode()))`;

whereThere({ missing: postfixMissing() }, describe)('a Postfix as docs/mail.md sets it up', () => {
  const sender = 'camille@correspondent.example';
  let place: Workplace;
  let internet: ScriptedSmtp;
  let postfix: Postfix;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    internet = await ScriptedSmtp.listen();
    postfix = await Postfix.start({
      ...{ domain: 'acme.test', lmtp: place.product.lmtp?.port ?? 0, internet: internet.port },
    });
    mailbox = await place.mailbox();
    api = await senderFor(place, mailbox);
  });

  afterAll(async () => {
    postfix.stop();
    await internet.close();
  });

  const toMx = (to: string, from: string, raw: string) =>
    createTransport({ host: '127.0.0.1', port: postfix.mx, ignoreTLS: true })
      .sendMail({ envelope: { from, to }, raw })
      .then(
        ({ response }) => response,
        (error: unknown) => (error as { response: string }).response,
      );

  const subjects = async (): Promise<readonly string[]> =>
    pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 })).conversations.map(
      ({ subject }) => subject,
    );

  it.each([
    ['a person', sender],
    ['the null sender, as delivery reports have', ''],
  ])('hands over mail of %s', async (_who, from) => {
    const subject = randomUUID();
    const answer = await toMx(
      mailbox,
      from,
      `From: ${sender}\r\nSubject: ${subject}\r\n\r\nHello\r\n`,
    );
    expect(answer).toMatch(/^250 /);
    await until(async () => (await subjects()).includes(subject));
  });

  it('refuses at the door whom Postroom does not know, and writes to nobody of it', async () => {
    const raw = 'Subject: x\r\n\r\nx\r\n';
    expect(await toMx('nobody@acme.test', sender, raw)).toMatch(/^550 5\.1\.1 .*undeliverable/s);
    expect(await toMx('ann@elsewhere.example', sender, raw)).toMatch(/^55\d 5\.7\.1 .*[Rr]elay/s);
    await until(() => postfix.queue().includes('empty'));
    expect(internet.taken).toEqual([]);
  });

  it('carries away what Postroom sends, with its envelope and signature', async () => {
    const { text } = await place.settings.get('/mailboxes');
    const { items } = JSON.parse(text) as { items: { id: string; address: string }[] };
    const id = items.find(({ address }) => address === mailbox)?.id ?? '';
    const outgoing = { host: '127.0.0.1', port: postfix.submission, secure: false, user: null };
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'der' },
    });
    const dkim = { selector: 'mail', privateKey };
    mailboxOf(await place.settings.patch(`/mailboxes/${id}`, { outgoing, dkim }));
    const receipt = receiptOf(await api.post('/v1/send', aMessage(mailbox), newKey()));
    expect(receipt.accepted).toEqual([sender]);
    await until(() => internet.taken.length > 0);
    const [taken] = internet.taken;
    expect(taken?.envelope).toMatchObject({ from: mailbox, to: [sender] });
    expect(taken?.messageId).toBe(`<${receipt.providerMessageId}>`);
    if (python.missing !== null) return;
    const record = `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`;
    const checked = spawnSync('python3', ['-c', verifying, record], {
      ...{ input: taken?.raw, env: python.env, encoding: 'utf8' },
    });
    expect(checked.stdout + checked.stderr).toBe('True\n');
  });
});
