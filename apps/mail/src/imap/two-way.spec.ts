import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  conversations,
  mailboxAccounts,
  mailboxSyncs,
  moves,
  triage,
  type ConversationPage,
  type ListedConversation,
  type MailboxSyncAnswer,
  type Operation,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { ScriptedImap, type HeldMessage } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { connectedMailbox, rawMessage } from '../testing/mailbox-accounts.js';
import { TestOutbox } from '../testing/outgoing.js';
import { Sendings } from '../testing/sending.js';

const writes = ['UID STORE', 'UID MOVE', 'UID COPY', 'UID EXPUNGE', 'EXPUNGE', 'APPEND'];
const hourAgo = new Date(Date.now() - 3_600_000);

describe('changes both ways', () => {
  let service: MailService;
  let outbox: TestOutbox;
  let server: ScriptedImap;

  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start(outbox.env);
  });
  afterAll(async () => {
    await service.close();
    await outbox.close();
  });
  beforeEach(async () => {
    server = await ScriptedImap.listen();
    server.capabilities = 'IDLE MOVE UIDPLUS';
  });
  afterEach(async () => {
    await service.rows('DELETE FROM mailbox_accounts');
    await server.close();
  });

  const adminOf = ({ tenantId }: MailboxOf) => ({ caller: anAdmin({ tenantId }) });
  const setTwoWay = (mailbox: MailboxOf, twoWay: boolean) =>
    service.call(
      mailboxAccounts.set,
      { id: mailbox.id, twoWay, sentCopy: 'never' },
      adminOf(mailbox),
    );
  const syncOf = async (mailbox: MailboxOf) =>
    (await service.call<MailboxSyncAnswer>(mailboxSyncs.get, { id: mailbox.id }, adminOf(mailbox)))
      .body.sync;
  const list = async ({ address, caller }: MailboxOf): Promise<ListedConversation[]> => {
    const found = await Promise.all(
      (['inbox', 'archived', 'trash', 'spam'] as const).map(async (placement) => {
        const input = { mailbox: address, limit: 100, placement };
        return (await service.call<ConversationPage>(conversations.list, input, { caller })).body;
      }),
    );
    return found.flatMap((page) => page.conversations);
  };

  /** A mailbox with messages that are new here, each a conversation, by their subjects. */
  async function withMail(
    ...subjects: string[]
  ): Promise<readonly [MailboxOf, (subject: string) => string]> {
    const mailbox = await connectedMailbox(service, server.port);
    await eventually(
      () => syncOf(mailbox),
      ({ state }) => state === 'live',
    );
    await setTwoWay(mailbox, true);
    for (const subject of subjects) {
      server.deliver(rawMessage({ subject, id: subject }), { at: hourAgo });
    }
    const found = await eventually(
      () => list(mailbox),
      (all) => all.length === subjects.length,
    );
    const ids = new Map(found.map(({ subject, id }) => [subject, id]));
    return [mailbox, (subject) => ids.get(subject) ?? ''];
  }

  const act = async (
    { address, caller }: MailboxOf,
    operation: Operation,
    id: string,
    given: object = {},
  ): Promise<void> => {
    const answer = await service.call(operation, { mailbox: address, id, ...given }, { caller });
    expect(answer.status).toBe(200);
  };
  /** Takes mailboxes from their owner, for nobody to read them until they are released. */
  const holdSyncs = () =>
    service.rows(
      `UPDATE mailbox_syncs SET turn = turn + 1, lease_owner = NULL, lease_until = now(),
         next_try_at = now() + interval '1 hour'`,
    );
  const releaseSyncs = () => service.rows('UPDATE mailbox_syncs SET next_try_at = now()');
  /** Waits until nothing is left to be done; where the server tells of moves, no next try is waited for. */
  const isDone = (mailbox: MailboxOf): Promise<boolean> =>
    eventually(
      async () => {
        await service.rows(`UPDATE mailbox_syncs SET next_try_at = now() WHERE state = 'waiting'`);
        if (server.capabilities.includes('UIDPLUS')) {
          await service.rows(
            `UPDATE remote_changes SET next_try_at = now() WHERE next_try_at < now() + (5 * 2 ^ (attempts - 1) - 1) * interval '1 second'`,
          );
        }
        const { state, changesWaiting } = await syncOf(mailbox);
        return state === 'live' && changesWaiting === 0;
      },
      (done) => done,
    );
  const folderOf = (subject: string): string[] =>
    [...server.folders].flatMap(([path, { messages }]) =>
      messages.filter((one) => one.raw.includes(`Subject: ${subject}\r\n`)).map(() => path),
    );
  const messageOf = (subject: string): HeldMessage | undefined =>
    [...server.folders.values()]
      .flatMap(({ messages }) => messages)
      .find((one) => one.raw.includes(`Subject: ${subject}\r\n`));
  const written = (): string[] => server.commands.filter((command) => writes.includes(command));

  it.each(['IDLE MOVE UIDPLUS', 'IDLE UIDPLUS', 'IDLE MOVE'])(
    'are made at a server that says %s, once each, and change nothing here',
    async (capabilities) => {
      server.capabilities = capabilities;
      const [mailbox, id] = await withMail('a', 'b', 'c', 'd');
      const before = (await service.notices(mailbox)).length;
      await act(mailbox, conversations.archive, id('a'));
      await act(mailbox, moves.move, id('b'), { placement: 'spam' });
      await act(mailbox, moves.move, id('c'), { placement: 'trash' });
      await act(mailbox, moves.read, id('c'), { unread: false });
      await act(mailbox, triage.label, id('d'), {
        add: ['Devis', 'très urgent', 'x) (\\Deleted'],
        remove: [],
      });
      expect(await isDone(mailbox)).toBe(true);
      expect(['a', 'b', 'c', 'd'].map(folderOf)).toEqual([
        ['Archive'],
        ['Junk'],
        ['Trash'],
        ['INBOX'],
      ]);
      expect(messageOf('c')?.flags).toEqual(['\\Seen']);
      expect(messageOf('d')?.flags).toEqual(['$pr_devis']);
      await act(mailbox, conversations.reopen, id('a'));
      await act(mailbox, moves.move, id('b'), { placement: 'inbox' });
      await act(mailbox, moves.read, id('c'), { unread: true });
      await act(mailbox, triage.label, id('d'), { add: [], remove: ['Devis'] });
      await new Sendings(service).reply(mailbox, id('d'));
      expect(await isDone(mailbox)).toBe(true);
      expect(['a', 'b', 'c', 'd'].map(folderOf)).toEqual([
        ['INBOX'],
        ['INBOX'],
        ['Trash'],
        ['INBOX'],
      ]);
      expect(messageOf('c')?.flags).toEqual([]);
      expect(messageOf('d')?.flags?.toSorted()).toEqual(['\\Answered', '\\Seen']);
      // The next session sees what we have done ourselves.
      const commands = written().length;
      await service.rows(`UPDATE remote_folders SET flags_at = '-infinity'`);
      await service.rows('UPDATE mailbox_syncs SET turn = turn + 1, lease_until = now()');
      server.deliver(rawMessage({ subject: 'e', id: 'e' }));
      await eventually(
        () => list(mailbox),
        (all) => all.length === 5,
      );
      expect(await isDone(mailbox)).toBe(true);
      expect(written()).toHaveLength(commands);
      expect(commands).toBeLessThanOrEqual(24);
      expect(await service.notices(mailbox)).toHaveLength(before + 7);
      expect((await list(mailbox)).map(({ messageCount }) => messageCount).toSorted()).toEqual([
        ...[1, 1, 1, 1, 2],
      ]);
    },
  );

  it('are made to messages that are on their way, where the server does not tell where they went', async () => {
    server.capabilities = 'IDLE MOVE';
    const [mailbox, id] = await withMail('a', 'b');
    const changed = Promise.withResolvers<void>();
    const changeBoth = async (): Promise<void> => {
      await act(mailbox, moves.read, id('a'), { unread: false });
      await act(mailbox, triage.label, id('a'), { add: ['Devis'], remove: [] });
      await act(mailbox, conversations.reopen, id('b'));
      server.drop();
    };
    let isMet = false;
    server.script = (command, args, lines) => {
      const isOnItsWay =
        command === 'STATUS' && args.includes('Archive') && folderOf('b')[0] !== 'INBOX';
      if (!isOnItsWay || isMet) return lines;
      isMet = true;
      changed.resolve(changeBoth());
      return 'silence';
    };
    await act(mailbox, conversations.archive, id('a'));
    await act(mailbox, conversations.archive, id('b'));
    await changed.promise;
    expect(await isDone(mailbox)).toBe(true);
    expect(['a', 'b'].map(folderOf)).toEqual([['Archive'], ['INBOX']]);
    expect(messageOf('a')?.flags?.toSorted()).toEqual(['$pr_devis', '\\Seen']);
    const placed = (await list(mailbox)).map(({ subject, placement }) => [subject, placement]);
    expect(Object.fromEntries(placed)).toEqual({ a: 'archived', b: 'inbox' });
  });

  it('are off at first, and forgotten when they are switched off', async () => {
    const [mailbox, id] = await withMail('a', 'b');
    await setTwoWay(mailbox, false);
    await act(mailbox, conversations.archive, id('a'));
    await act(mailbox, moves.read, id('b'), { unread: false });
    server.deliver(rawMessage({ subject: 'c', id: 'c' }));
    await eventually(
      () => list(mailbox),
      (all) => all.length === 3,
    );
    expect(await service.rows('SELECT FROM remote_changes')).toEqual([]);
    await setTwoWay(mailbox, true);
    server.script = (command, _args, lines) => (writes.includes(command) ? 'drop' : lines);
    await act(mailbox, conversations.archive, id('b'));
    expect((await syncOf(mailbox)).changesWaiting).toBe(1);
    await setTwoWay(mailbox, false);
    expect((await syncOf(mailbox)).changesWaiting).toBe(0);
    expect(folderOf('a')).toEqual(['INBOX']);
  });

  it.each<[string, (server: ScriptedImap) => void]>([
    ['folder_missing', ({ folders }) => void folders.delete('Archive')],
    ['move_unsupported', (one) => void (one.capabilities = 'IDLE')],
  ])('that cannot be made are left, and said: %s', async (code, prepare) => {
    prepare(server);
    server.permanentFlags = '\\Seen';
    const [mailbox, id] = await withMail('a', 'b');
    await act(mailbox, triage.label, id('b'), { add: ['Devis'], remove: [] });
    const failed = (count: number) =>
      eventually(
        () => syncOf(mailbox),
        ({ changesFailed }) => changesFailed === count,
      );
    expect(await failed(1)).toMatchObject({ lastFailedChange: { code: 'keywords_refused' } });
    await act(mailbox, conversations.archive, id('a'));
    expect(await failed(2)).toMatchObject({ state: 'live', lastFailedChange: { code } });
    expect([written(), folderOf('a')]).toEqual([[], ['INBOX']]);
    const archive = { uidValidity: 7, uidNext: 1, messages: [], use: '\\Archive' };
    server.folders.set('Archive', server.folders.get('Archive') ?? archive);
    [server.capabilities, server.permanentFlags] = ['IDLE MOVE UIDPLUS', '\\Seen \\*'];
    await service.call(mailboxSyncs.restart, { id: mailbox.id }, adminOf(mailbox));
    expect(await failed(0)).toMatchObject({ lastFailedChange: null });
    expect(await isDone(mailbox)).toBe(true);
    expect([folderOf('a'), messageOf('b')?.flags]).toEqual([['Archive'], ['$pr_devis']]);
  });

  it('that the server refuses are tried ten times, and reading goes on', async () => {
    const [mailbox, id] = await withMail('a');
    const inbox = server.folder();
    const held = inbox.messages;
    server.script = (command, _args, lines) => {
      if (command !== 'UID MOVE') return lines;
      [inbox.messages, server.folder('Archive').messages] = [held, []];
      return [`${lines.at(-1)?.split(' ')[0] ?? ''} NO [OVERQUOTA] full`];
    };
    await act(mailbox, conversations.archive, id('a'));
    const attempt = (count: number) =>
      eventually(
        () => service.rows<{ attempts: number }>('SELECT attempts FROM remote_changes'),
        ([change]) => change?.attempts === count,
      );
    await attempt(1);
    expect(await syncOf(mailbox)).toMatchObject({ changesWaiting: 1, changesFailed: 0 });
    await service.rows('UPDATE remote_changes SET attempts = 10, next_try_at = now()');
    await attempt(11);
    server.deliver(rawMessage({ subject: 'b', id: 'b' }));
    expect(
      await eventually(
        () => list(mailbox),
        (all) => all.length === 2,
      ),
    ).toHaveLength(2);
    expect(await syncOf(mailbox)).toMatchObject({
      ...{ state: 'live', changesWaiting: 0, changesFailed: 1 },
      lastFailedChange: { code: 'server_refused' },
    });
  });

  it('that differ from what another client does count for a minute, then theirs', async () => {
    const [mailbox, id] = await withMail('theirs', 'ours');
    await holdSyncs();
    await act(mailbox, conversations.archive, id('theirs'));
    await service.rows(`UPDATE remote_changes SET since = since - interval '1 day'`);
    await act(mailbox, conversations.archive, id('ours'));
    // However slow the machine is, this one is younger than a minute.
    await service.rows(
      `UPDATE remote_changes SET since = since + interval '1 day' WHERE since > now() - interval '12 hours'`,
    );
    const [inbox, trash] = [server.folder(), server.folder('Trash')];
    trash.messages = inbox.messages.map((message, at) => ({ ...message, uid: at + 1 }));
    [trash.uidNext, inbox.messages] = [3, []];
    server.deliver(rawMessage({ subject: 'read', id: 'read' }), { flags: ['\\Seen'] });
    await releaseSyncs();
    const state = async () =>
      (await list(mailbox)).map((one) => [one.subject, one.placement, one.unread].join(' ')).sort();
    const wanted = ['ours archived true', 'read inbox false', 'theirs trash true'];
    expect(await eventually(state, (found) => found.join() === wanted.join())).toEqual(wanted);
    expect(await isDone(mailbox)).toBe(true);
    expect([folderOf('theirs'), folderOf('ours')]).toEqual([['Trash'], ['Archive']]);
  });

  it.each([
    ...(['the server', 'its answer', 'the owner'] as const).flatMap((who) => [
      [who, 'UID STORE', 'IDLE MOVE UIDPLUS'] as const,
      [who, 'UID MOVE', 'IDLE MOVE UIDPLUS'] as const,
    ]),
    ...(['the server', 'its answer'] as const).flatMap((who) => [
      [who, 'UID COPY', 'IDLE UIDPLUS'] as const,
      [who, 'UID EXPUNGE', 'IDLE UIDPLUS'] as const,
    ]),
    ['its answer', 'UID MOVE', 'IDLE MOVE'] as const,
  ])(
    'are made once, and what was wanted last counts, though %s is gone at %s of a server that says %s',
    async (who, last, capabilities) => {
      server.capabilities = capabilities;
      const [mailbox, id] = await withMail('a', 'b');
      let left = 1;
      const isHit = (command: string): boolean => command === last && left-- > 0;
      server.refuse = (command) => who === 'the server' && isHit(command);
      const reopened = Promise.withResolvers<void>();
      server.script = (command, _args, lines) => {
        if (who === 'the server' || !isHit(command)) return lines;
        void (async () => {
          await act(mailbox, conversations.reopen, id('b'));
          if (who === 'its answer') server.drop();
          else await service.rows('UPDATE mailbox_syncs SET turn = turn + 1, lease_until = now()');
          reopened.resolve();
        })();
        return 'silence';
      };
      // All are found at once, else one may be carried out before another is known.
      await holdSyncs();
      await Promise.all([
        act(mailbox, conversations.archive, id('a')),
        act(mailbox, conversations.archive, id('b')),
        act(mailbox, moves.read, id('a'), { unread: false }),
      ]);
      await releaseSyncs();
      if (who !== 'the server') await reopened.promise;
      expect(await isDone(mailbox)).toBe(true);
      expect(folderOf('a')).toEqual(['Archive']);
      // A copy that was made before it was not wanted any more stays: it is not ours to delete.
      const copies = last === 'UID COPY' ? ['INBOX', 'Archive'] : ['INBOX'];
      expect(folderOf('b')).toEqual(who === 'the server' ? ['Archive'] : copies);
      expect(messageOf('a')?.flags).toContain('\\Seen');
      const placed = (await list(mailbox)).map(({ subject, placement }) => [subject, placement]);
      expect(Object.fromEntries(placed)).toEqual({
        a: 'archived',
        b: who === 'the server' ? 'archived' : 'inbox',
      });
      expect(written().length).toBeLessThanOrEqual(16);
    },
  );
});
