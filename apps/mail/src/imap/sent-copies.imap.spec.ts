import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mailboxAccounts } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { always, Dovecot, dovecot, ScriptedSmtp, whereThere } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { connectedMailbox, rawMessage, storedMessages } from '../testing/mailbox-accounts.js';
import { newSendKey, Sendings } from '../testing/sending.js';

whereThere(dovecot, describe)('what was sent, in the account’s folder of sent mail', () => {
  let service: MailService;
  let server: Dovecot;
  let smtp: ScriptedSmtp;
  let sendings: Sendings;
  let user: string;
  let mailbox: MailboxOf;
  beforeAll(async () => {
    server = await Dovecot.start();
    smtp = await ScriptedSmtp.listen();
    service = await MailService.start({ SEND_SETTLE_INTERVAL: '200ms' });
    sendings = new Sendings(service);
  });
  afterAll(async () => {
    await service.close();
    await smtp.close();
    await server.close();
  });
  beforeEach(async () => {
    await service.rows('DELETE FROM mailbox_accounts');
    smtp.reset();
    user = randomUUID();
    mailbox = await connectedMailbox(service, server.port, { user });
    await account({ outgoing: { host: '127.0.0.1', port: smtp.port, secure: false, user: null } });
    await eventually(
      () => service.rows(`SELECT FROM mailbox_syncs WHERE state = 'live'`),
      (found) => found.length === 1,
    );
  });

  const account = async (given: object): Promise<void> => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    await service.call(mailboxAccounts.set, { id: mailbox.id, ...given }, { caller });
  };
  /** The Message-ID of each copy there. */
  const copies = async (): Promise<string[]> => {
    const texts: string[] = [];
    for (const part of ['cur', 'new']) {
      const folder = join(server.maildir(user, 'Sent'), part);
      const names = await readdir(folder).catch(() => []);
      for (const name of names) texts.push(await readFile(join(folder, name), 'utf8'));
    }
    return texts.map((text) => /^message-id:\s*(<.*?>)/im.exec(text)?.[1] ?? '').sort();
  };
  const sent = (): string[] => smtp.taken.map(({ messageId }) => messageId ?? '').sort();
  /** A copy that the server files itself. */
  const fileThere = async (): Promise<void> =>
    server.deliver(user, smtp.taken[0]?.raw.toString('latin1') ?? '', { folder: 'Sent' });
  const change = (to: string) => service.rows(`UPDATE sent_copies SET ${to}`);
  /** Waits until nothing is looked for any more; no test waits for the time to look. */
  const settled = () =>
    eventually(
      async () => {
        await change('look_at = now()');
        await service.rows(`UPDATE mailbox_syncs SET next_try_at = now() WHERE state = 'waiting'`);
        await sleep(300);
        return service.rows('SELECT FROM sent_copies');
      },
      (left) => left.length === 0,
    );
  const written = () =>
    eventually(
      async () => {
        await change('look_at = now() WHERE written IS NULL');
        return service.rows('SELECT FROM sent_copies WHERE written IS NOT NULL');
      },
      (found) => found.length > 0,
    );

  it.each<[string, () => Promise<unknown>]>([
    ['does not file it', () => Promise.resolve()],
    ['files it at once', fileThere],
    ['files it after we have', () => written().then(fileThere)],
    ['was asked to, by a process that died before it did', () => change('written_at = now()')],
    [
      'was asked to, by a process that died before it knew',
      () => written().then(() => change('written = NULL, looks = 0')),
    ],
    ['was to be left to it', async () => account({ sentCopy: 'append' })],
  ])('is there once: the server %s', async (_what, happens) => {
    const bcc = [{ email: 'blind@correspondent.example', name: null }];
    expect((await sendings.create(mailbox, { bcc })).status).toBe(200);
    await happens();
    expect(await settled()).toEqual([]);
    expect(await copies()).toEqual(sent());
    const stored = await storedMessages(service, mailbox);
    expect(stored.map(({ direction }) => direction)).toEqual(['outbound']);
  });

  it('is tried again while the account is full, and mail is read meanwhile', async () => {
    const place = join(server.maildir(user, 'Sent'), 'tmp');
    await eventually(
      () => stat(place).catch(() => null),
      (found) => found !== null,
    );
    await chmod(place, 0);
    await account({ sentCopy: 'append' });
    await sendings.create(mailbox);
    await eventually(
      async () => {
        await change('look_at = now() WHERE written_at IS NULL');
        return service.rows(
          `SELECT FROM sent_copies WHERE look_at > now() + interval '50 minutes'`,
        );
      },
      (found) => found.length === 1,
    );
    await server.deliver(user, rawMessage({ subject: 'meanwhile' }));
    await eventually(
      () => storedMessages(service, mailbox),
      (found) => found.length === 2,
    );
    expect(await service.rows('SELECT state, said FROM mailbox_syncs')).toEqual([
      { state: 'live', said: null },
    ]);
    await chmod(place, 0o700);
    expect(await settled()).toEqual([]);
    expect(await copies()).toEqual(sent());
  });

  it('is not put there where nobody wants it', async () => {
    await account({ sentCopy: 'never' });
    await sendings.create(mailbox);
    expect(await settled()).toEqual([]);
    expect(await copies()).toEqual([]);
  });

  it('is there once for each of ten messages, whatever dies meanwhile', async () => {
    for (let n = 0; n < 10; n += 1) {
      expect((await sendings.create(mailbox)).status).toBe(200);
      await change('look_at = now()');
      if (n % 2 === 0) await server.interrupt();
      else
        await service.rows(
          'UPDATE mailbox_syncs SET turn = turn + 1, lease_owner = NULL, lease_until = now()',
        );
      await service.rows('UPDATE mailbox_syncs SET next_try_at = now()');
    }
    expect(await settled()).toEqual([]);
    expect(await copies()).toEqual(sent());
  });

  it('proves that a message has left whose server gave no last word', async () => {
    smtp.script = always('dot', 'drop');
    const idempotencyKey = newSendKey();
    const given = { subject: 'In doubt' };
    const first = await sendings.create(mailbox, given, { idempotencyKey });
    expect(first.body).toMatchObject({ fields: { outcomeUnknown: true } });
    await fileThere();
    await settled();
    const repeated = () => sendings.create(mailbox, given, { idempotencyKey });
    const { body } = await eventually(repeated, ({ status }) => status === 200);
    expect(body).toMatchObject({ receiptSource: 'reconciled' });
    expect(smtp.taken).toHaveLength(1);
    expect(await copies()).toEqual(sent());
  });
});
