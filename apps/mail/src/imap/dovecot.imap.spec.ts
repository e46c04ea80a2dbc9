import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversations, mailboxAccounts, moves, triage, type Operation } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { Dovecot, dovecot, whereThere } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { connectedMailbox, rawMessage, storedMessages } from '../testing/mailbox-accounts.js';

whereThere(dovecot, describe)('a mailbox at Dovecot', () => {
  let service: MailService;
  let server: Dovecot;
  beforeAll(async () => {
    server = await Dovecot.start();
    service = await MailService.start();
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  const kills = 20;
  const minutes = (count: number): number => count * 60_000;
  const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
  const state = async ({ tenantId }: MailboxOf): Promise<string | undefined> => {
    const found = await service.rows<{ state: string }>(
      'SELECT state FROM mailbox_syncs WHERE tenant_id = $1',
      [tenantId],
    );
    return found[0]?.state;
  };
  const live = (mailbox: MailboxOf) =>
    eventually(
      () => state(mailbox),
      (one) => one === 'live',
    );

  it(
    'reads further back once more history is wanted, without events',
    async () => {
      const user = randomUUID();
      const day = 86_400;
      await server.deliver(user, rawMessage({ subject: 'of last year' }), { at: ago(400 * day) });
      await server.deliver(user, rawMessage({ subject: 'of last week' }), { at: ago(7 * day) });
      const mailbox = await connectedMailbox(service, server.port, { user });
      await live(mailbox);
      const subjects = async (): Promise<string[]> =>
        (await storedMessages(service, mailbox)).map(({ subject }) => subject);
      expect(await subjects()).toEqual(['of last week']);
      await server.deliver(user, rawMessage({ subject: 'new' }));
      await eventually(subjects, (found) => found.length === 2);
      const caller = anAdmin({ tenantId: mailbox.tenantId });
      await service.call(mailboxAccounts.set, { id: mailbox.id, historyDays: null }, { caller });
      const all = ['of last year', 'of last week', 'new'];
      expect(await eventually(subjects, (found) => found.length === 3)).toEqual(all);
      expect(await service.events(mailbox)).toHaveLength(1);
    },
    minutes(2),
  );

  it(
    'follows what another client moves, sends and deletes',
    async () => {
      const user = randomUUID();
      await server.deliver(user, rawMessage({ id: 'first', subject: 'first' }), { at: ago(60) });
      const mailbox = await connectedMailbox(service, server.port, { user });
      await live(mailbox);
      for (const id of ['trashed', 'junked', 'filed', 'gone', 'asked']) {
        await server.deliver(user, rawMessage({ id, subject: id }));
      }
      const stored = () => storedMessages(service, mailbox);
      await eventually(stored, (found) => found.length === 6);
      await server.move(user, 'trashed', 'Trash');
      await server.move(user, 'junked', 'Junk');
      await server.move(user, 'filed', 'Archive');
      await server.expunge(user, 'gone');
      const from = mailbox.address;
      const answer = rawMessage({ subject: 'Re: asked', references: 'asked', from });
      await server.deliver(user, answer, { folder: 'Sent', at: new Date(Date.now() + 1_000) });
      const placed = async () =>
        Object.fromEntries((await stored()).map((one) => [one.subject, one.placement]));
      const wanted = {
        ...{ first: 'inbox', asked: 'inbox', 'Re: asked': 'inbox' },
        ...{ trashed: 'trash', junked: 'spam', filed: 'archived', gone: 'archived' },
      };
      const isWanted = (found: object): boolean =>
        Object.entries(wanted).every(([subject, one]) => Reflect.get(found, subject) === one);
      expect(await eventually(placed, isWanted)).toEqual(wanted);
      // Nobody waits any more for the answer that another client gave.
      const waiting = (await service.list(mailbox)).map(({ waitingSince }) => waitingSince);
      expect(waiting).toEqual([null, null]);
      await server.renumber(user);
      await server.killSessions();
      await server.deliver(user, rawMessage({ subject: 'after' }));
      expect(await eventually(stored, (found) => found.length === 8)).toHaveLength(8);
      expect(await service.events(mailbox)).toHaveLength(6);
    },
    minutes(2),
  );

  describe('with changes both ways', () => {
    const rows = ({ tenantId }: MailboxOf) =>
      service.rows<{
        id: string;
        subject: string;
        placement: string;
        unread: boolean;
        labels: string[];
      }>('SELECT id, subject, placement, unread, labels FROM conversations WHERE tenant_id = $1', [
        tenantId,
      ]);
    const waiting = ({ tenantId }: MailboxOf) =>
      service.rows('SELECT FROM remote_changes WHERE tenant_id = $1', [tenantId]);
    const act = (
      { address, caller }: MailboxOf,
      operation: Operation,
      id: string,
      given: object = {},
    ): Promise<unknown> => service.call(operation, { mailbox: address, id, ...given }, { caller });
    const setTwoWay = ({ id, tenantId }: MailboxOf, twoWay: boolean): Promise<unknown> =>
      service.call(mailboxAccounts.set, { id, twoWay }, { caller: anAdmin({ tenantId }) });

    async function withMail(...ids: string[]): Promise<readonly [string, MailboxOf]> {
      const user = randomUUID();
      const mailbox = await connectedMailbox(service, server.port, { user });
      await live(mailbox);
      for (const id of ids) await server.deliver(user, rawMessage({ id, subject: id }));
      await eventually(
        () => rows(mailbox),
        (found) => found.length === ids.length,
      );
      return [user, mailbox];
    }
    const one = async (mailbox: MailboxOf, subject: string) => {
      const found = (await rows(mailbox)).find((row) => row.subject === subject);
      if (!found) throw new Error(`no conversation ${subject}`);
      return found;
    };
    const becomes = (mailbox: MailboxOf, subject: string, wanted: object) =>
      eventually(
        () => one(mailbox, subject),
        (found) =>
          Object.entries(wanted).every(
            ([key, value]) => String(Reflect.get(found, key)) === String(value),
          ),
      );

    it(
      'has what another client does arrive as ours would, and writes nothing while it is off',
      async () => {
        const [user, mailbox] = await withMail('one', 'two');
        const before = await server.modseq(user);
        const { id } = await one(mailbox, 'two');
        await act(mailbox, moves.read, id, { unread: false });
        await act(mailbox, conversations.archive, id);
        expect(await waiting(mailbox)).toEqual([]);
        await sleep(1_500);
        expect(await server.modseq(user)).toBe(before);
        await setTwoWay(mailbox, true);
        await server.flag(user, 'one', 'add', '\\Seen $pr_devis');
        expect(await becomes(mailbox, 'one', { unread: false, labels: 'devis' })).toMatchObject({
          ...{ unread: false, labels: ['devis'] },
        });
        await server.flag(user, 'one', 'remove', '\\Seen $pr_devis');
        expect(await becomes(mailbox, 'one', { unread: true, labels: '' })).toMatchObject({
          ...{ unread: true, labels: [] },
        });
        await server.move(user, 'one', 'Trash');
        expect((await becomes(mailbox, 'one', { placement: 'trash' })).placement).toBe('trash');
        expect(await waiting(mailbox)).toEqual([]);
        expect((await server.messages(user)).toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
          { id: 'one', folder: 'Trash', flags: [] },
          { id: 'two', folder: 'INBOX', flags: [] },
        ]);
      },
      minutes(2),
    );

    it(
      'ends in one state on both sides, whatever dies meanwhile, and is quiet then',
      async () => {
        const ids = Array.from({ length: 12 }, (_, n) => `message-${n}`);
        const [user, mailbox] = await withMail(...ids);
        await setTwoWay(mailbox, true);
        for (let round = 0; round < 2 * kills; round += 1) {
          const { id, placement, unread } = await one(mailbox, ids[randomInt(ids.length)] ?? '');
          const isArchived = placement === 'archived';
          await [
            () => act(mailbox, isArchived ? conversations.reopen : conversations.archive, id),
            () => act(mailbox, moves.read, id, { unread: !unread }),
            () => act(mailbox, moves.move, id, { placement: isArchived ? 'inbox' : 'spam' }),
            () => act(mailbox, triage.label, id, { add: ['devis'], remove: [] }),
          ][round % 4]?.();
          await sleep(randomInt(20, 400));
          if (round % 4 === 0) await server.killSessions();
          if (round % 4 === 2) {
            await service.rows(
              'UPDATE mailbox_syncs SET turn = turn + 1, lease_owner = NULL, lease_until = now()',
            );
          }
          await service.rows('UPDATE mailbox_syncs SET next_try_at = now()');
        }
        const isOver = async () => {
          await service.rows(
            `UPDATE mailbox_syncs SET next_try_at = now() WHERE state = 'waiting'`,
          );
          return (await waiting(mailbox)).length;
        };
        expect(await eventually(isOver, (left) => left === 0)).toBe(0);
        const folders = new Map<string, string>([
          ...([
            ['inbox', 'INBOX'],
            ['archived', 'Archive'],
            ['spam', 'Junk'],
          ] as const),
        ]);
        const here = (await rows(mailbox)).map(({ subject, placement, unread, labels }) => ({
          ...{ id: subject, folder: folders.get(placement), isSeen: !unread, labels },
        }));
        const there = (await server.messages(user)).map(({ id, folder, flags }) => ({
          ...{ id, folder, isSeen: flags.includes('\\Seen') },
          labels: flags.filter((flag) => flag.startsWith('$pr_')).map((flag) => flag.slice(4)),
        }));
        const inOrder = (list: { id: string }[]) =>
          list.toSorted((a, b) => a.id.localeCompare(b.id));
        expect(inOrder(there)).toEqual(inOrder(here));
        const numbers = () =>
          Promise.all(['INBOX', 'Archive', 'Junk'].map((folder) => server.modseq(user, folder)));
        const before = await numbers();
        const told = (await service.notices(mailbox)).length;
        await service.rows('UPDATE mailbox_syncs SET turn = turn + 1, lease_until = now()');
        await server.deliver(user, rawMessage({ subject: 'last', id: 'last' }), { folder: 'Sent' });
        await eventually(
          () => rows(mailbox),
          (found) => found.length === ids.length + 1,
        );
        expect([await numbers(), (await service.notices(mailbox)).length]).toEqual([before, told]);
      },
      minutes(5),
    );
  });
});
