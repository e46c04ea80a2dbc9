import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conversations, mailboxAccounts, moves, type Operation } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { GreenMail, greenMail, whereThere } from '@postroom/testing';
import { ImapFlow } from 'imapflow';
import { eventually } from '@postroom/testing/until';
import { MailService } from '../testing/mail-service.js';
import { connectedMailbox, rawMessage } from '../testing/mailbox-accounts.js';

whereThere(greenMail(), describe)('changes both ways at GreenMail', () => {
  let service: MailService;
  let server: GreenMail;
  const user = randomUUID();
  beforeAll(async () => {
    server = await GreenMail.start();
    service = await MailService.start();
    for (const folder of ['Archive', 'Trash'])
      await server.deliver(user, rawMessage({ subject: folder }), { folder });
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  /** Does something as another client, in the inbox at first. */
  async function asAnother<T>(act: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      ...{ host: '127.0.0.1', port: server.port, secure: false, logger: false },
      ...{ auth: { user, pass: 'secret' }, disableAutoIdle: true },
    });
    await client.connect();
    try {
      await client.mailboxOpen('INBOX');
      return await act(client);
    } finally {
      client.close();
    }
  }

  /** The folders of the messages there, by subject, with a mark for those that were read. */
  const there = () =>
    asAnother(async (client) => {
      const found: Record<string, string> = {};
      for (const folder of ['INBOX', 'Archive', 'Trash']) {
        await client.mailboxOpen(folder);
        for (const one of await client.fetchAll('1:*', { envelope: true, flags: true })) {
          const isRead = one.flags?.has('\\Seen') === true;
          found[one.envelope?.subject ?? ''] = folder + (isRead ? ' read' : '');
        }
      }
      return found;
    });

  it('are made there and followed from there, each once, without its telling of changes', async () => {
    const mailbox = await connectedMailbox(service, server.port, { user });
    const { id: ofMailbox, tenantId, address, caller } = mailbox;
    const live = () =>
      eventually(
        () => service.rows<{ state: string }>('SELECT state FROM mailbox_syncs'),
        ([sync]) => sync?.state === 'live',
      );
    await live();
    const input = { id: ofMailbox, twoWay: true };
    await service.call(mailboxAccounts.set, input, { caller: anAdmin({ tenantId }) });
    const here = async (): Promise<Record<string, string>> => {
      const rows = await service.rows<{ subject: string; placement: string; unread: boolean }>(
        'SELECT subject, placement, unread FROM conversations',
      );
      return Object.fromEntries(
        rows.map((one) => [one.subject, one.placement + (one.unread ? '' : ' read')]),
      );
    };
    const becomes = async (wanted: Record<string, string>): Promise<void> => {
      const isIn = (found: Record<string, string>): boolean =>
        Object.entries(wanted).every(([subject, place]) => found[subject] === place);
      expect(await eventually(here, isIn)).toMatchObject(wanted);
    };
    for (const subject of ['a', 'b', 'c']) await server.deliver(user, rawMessage({ subject }));
    await becomes({ a: 'inbox', b: 'inbox', c: 'inbox' });

    const act = async (operation: Operation, subject: string, given = {}): Promise<void> => {
      const [found] = await service.rows<{ id: string }>(
        'SELECT id FROM conversations WHERE subject = $1',
        [subject],
      );
      await service.call(operation, { mailbox: address, id: found?.id, ...given }, { caller });
    };
    const isDone = () =>
      eventually(
        () => service.rows('SELECT FROM remote_changes'),
        (left) => left.length === 0,
      );
    await act(conversations.archive, 'a');
    await act(moves.read, 'b', { unread: false });
    expect(await isDone()).toEqual([]);
    expect(await there()).toMatchObject({ a: 'Archive', b: 'INBOX read', c: 'INBOX' });
    await act(conversations.reopen, 'a');
    expect(await isDone()).toEqual([]);
    expect(await there()).toMatchObject({ a: 'INBOX', b: 'INBOX read', c: 'INBOX' });

    await asAnother(async (client) => {
      await client.messageFlagsRemove({ subject: 'b' }, ['\\Seen']);
      await client.messageMove({ subject: 'c' }, 'Trash');
    });
    await service.rows(`UPDATE remote_folders SET flags_at = '-infinity'`);
    await service.rows('UPDATE mailbox_syncs SET turn = turn + 1, lease_until = now()');
    await becomes({ a: 'inbox', b: 'inbox', c: 'trash' });
    expect(await isDone()).toEqual([]);
    expect(await there()).toMatchObject({ a: 'INBOX', b: 'INBOX', c: 'Trash' });
  });
});
