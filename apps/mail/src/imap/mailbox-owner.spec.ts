import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mailboxSyncs, type MailboxSyncAnswer } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { ScriptedImap, type ImapScript } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import type { MailboxOf } from '../testing/mail-service.js';
import { MailService } from '../testing/mail-service.js';
import { connectedMailbox, rawMessage, storedMessages } from '../testing/mailbox-accounts.js';

const hourAgo = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);

describe('a mailbox that is read from an account elsewhere', () => {
  let service: MailService;
  let server: ScriptedImap;

  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    server = await ScriptedImap.listen();
  });
  afterEach(async () => {
    await service.rows('DELETE FROM mailbox_accounts');
    await server.close();
  });

  const connect = (given?: Parameters<typeof connectedMailbox>[2]): Promise<MailboxOf> =>
    connectedMailbox(service, server.port, given);
  const stored = (mailbox: MailboxOf) => storedMessages(service, mailbox);
  const subjects = async (mailbox: MailboxOf): Promise<string[]> =>
    (await stored(mailbox)).map(({ subject }) => subject).sort();
  /** Waits until these are stored; no test waits for the next try of a mailbox. */
  const becomes = (mailbox: MailboxOf, ...wanted: string[]): Promise<string[]> =>
    eventually(
      async () => {
        await service.rows(`UPDATE mailbox_syncs SET next_try_at = now() WHERE state = 'waiting'`);
        return subjects(mailbox);
      },
      (found) => found.join() === wanted.toSorted().join(),
    );
  const syncOf = async (mailbox: MailboxOf) => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const { id } = mailbox;
    return (await service.call<MailboxSyncAnswer>(mailboxSyncs.get, { id }, { caller })).body.sync;
  };
  const live = (mailbox: MailboxOf) =>
    eventually(
      () => syncOf(mailbox),
      ({ state }) => state === 'live',
    );
  const told = async (mailbox: MailboxOf): Promise<string[]> =>
    (await service.events(mailbox)).map(({ type }) => type);
  const deliver = (subject: string, given: Parameters<ScriptedImap['deliver']>[1] = {}): number =>
    server.deliver(rawMessage({ subject, id: subject }), { at: hourAgo, ...given });

  it('has its history without events, and new mail with one, at the time of the server', async () => {
    deliver('old');
    deliver('older', { at: new Date(hourAgo.getTime() - 60_000) });
    deliver('ancient', { path: 'Archive' });
    const mailbox = await connect();
    expect(await becomes(mailbox, 'ancient', 'old', 'older')).toHaveLength(3);
    await live(mailbox);
    expect(await told(mailbox)).toEqual([]);
    deliver('new');
    expect(await becomes(mailbox, 'ancient', 'new', 'old', 'older')).toHaveLength(4);
    expect(await told(mailbox)).toEqual(['conversation.received']);
    const found = await stored(mailbox);
    expect(found.find(({ subject }) => subject === 'new')?.at).toEqual(hourAgo);
    expect(found.find(({ subject }) => subject === 'ancient')?.placement).toBe('archived');
    expect(await syncOf(mailbox)).toMatchObject({
      state: 'live',
      lastError: null,
      newestReadAt: hourAgo.toISOString(),
      folders: expect.arrayContaining([
        { path: 'INBOX', role: 'inbox', total: 3, read: 3, unreadable: 0 },
      ]),
    });
  });

  /** Leaves the source of one message out. */
  const withhold =
    (uid: number): ImapScript =>
    (command, args, lines) =>
      command === 'UID FETCH' && args.includes('BODY.PEEK[]')
        ? lines.filter((line) => !line.includes(`(UID ${uid} `))
        : lines;

  it('asks again for what does not come, three times, and once more when it is restarted', async () => {
    const [, held] = [deliver('one'), deliver('two'), deliver('three')];
    server.script = withhold(held);
    const mailbox = await connect();
    const sync = await eventually(
      () => syncOf(mailbox),
      ({ folders, state }) => state === 'live' && folders[0]?.unreadable === 1,
    );
    expect(sync.folders[0]).toMatchObject({ total: 3, read: 2, unreadable: 1 });
    const asked = server.commands.filter((command) => command === 'UID FETCH').length;
    expect(await subjects(mailbox)).toEqual(['one', 'three']);
    server.script = (_command, _args, lines) => lines;
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    await service.call(mailboxSyncs.restart, { id: mailbox.id }, { caller });
    expect(await becomes(mailbox, 'one', 'two', 'three')).toHaveLength(3);
    expect(asked).toBeGreaterThanOrEqual(6);
  });

  it('matches again what it has when UIDs begin anew, and tells of nothing but what is new', async () => {
    for (const subject of ['a', 'b', 'c']) deliver(subject);
    const mailbox = await connect();
    await becomes(mailbox, 'a', 'b', 'c');
    await live(mailbox);
    const sources = () => server.commands.filter((command) => command === 'UID FETCH').length;
    const folder = server.folder();
    folder.uidValidity += 1;
    folder.messages = folder.messages
      .toReversed()
      .map((message, at) => ({ ...message, uid: 100 + at }));
    folder.uidNext = 200;
    deliver('d', { at: new Date(hourAgo.getTime() + 5_000) });
    server.drop();
    expect(await becomes(mailbox, 'a', 'b', 'c', 'd')).toHaveLength(4);
    await live(mailbox);
    expect(await told(mailbox)).toEqual(['conversation.received']);
    // The heads of all and the source of one.
    expect(sources()).toBeLessThan(10);
  });

  it('tries a refused password three times at most, and asks for attention', async () => {
    server.password = 'another';
    const mailbox = await connect();
    for (let tries = 0; tries < 6; tries += 1) {
      await eventually(
        () => syncOf(mailbox),
        ({ state }) => state !== 'connecting',
      );
      await service.rows('UPDATE mailbox_syncs SET next_try_at = now()');
      await eventually(
        () => service.rows('SELECT FROM mailbox_syncs WHERE next_try_at > now()'),
        (rows) => rows.length > 0,
      );
    }
    expect(server.commands.filter((command) => command === 'LOGIN')).toHaveLength(3);
    expect(await syncOf(mailbox)).toMatchObject({
      state: 'needs_attention',
      lastError: { code: 'wrong_password' },
    });
  });

  it.each<[string, object, readonly string[], number]>([
    ['is read by its header', {}, ['huge', 'small'], 0],
    [
      'that its server calls small keeps no other from being read',
      ...([{ saysBytes: 1_000 }, ['small'], 1] as const),
    ],
  ])('has a message of 100 MB, which %s', async (_what, said, subjects, unreadable) => {
    const raw = rawMessage({ subject: 'huge', text: `${'x'.repeat(998)}\r\n`.repeat(100_000) });
    server.deliver(raw, { at: hourAgo, ...said });
    deliver('small');
    const mailbox = await connect();
    const isOver = async () => {
      await becomes(mailbox, ...subjects);
      return syncOf(mailbox);
    };
    const { folders } = await eventually(
      isOver,
      ({ state, folders: [inbox] }) => state === 'live' && inbox?.unreadable === unreadable,
    );
    expect(folders[0]).toMatchObject({ total: 2, read: subjects.length, unreadable });
    const large = await service.rows(
      'SELECT FROM messages WHERE tenant_id = $1 AND size_bytes > 1000',
      [mailbox.tenantId],
    );
    expect(large).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['LOGIN', 'NO [ALERT] Too many simultaneous connections. (Failure)', 'throttled'],
    ['LOGIN', 'NO [LIMIT] Not now.', 'throttled'],
    ['LOGIN', 'NO [UNAVAILABLE] Maximum number of connections from user+IP exceeded', 'throttled'],
    ['LOGIN', 'NO [UNAVAILABLE] Temporary authentication failure.', 'unreachable'],
    ['LOGIN', 'NO [SERVERBUG] Internal error.', 'unreachable'],
    ['LIST', 'BAD Request is throttled. Suggested Backoff Time: 100 milliseconds', 'throttled'],
    ['SELECT', 'BAD User is authenticated but not connected.', 'throttled'],
    ['SELECT', 'NO Server Unavailable. 15', 'throttled'],
    ['UID SEARCH', 'NO [THROTTLED] Slow down.', 'throttled'],
    ['UID FETCH', 'NO [OVERQUOTA] Account exceeded its limits. (Failure)', 'throttled'],
    ['UID FETCH', '* BYE [ALERT] Too many simultaneous connections.', 'throttled'],
  ])('waits when its server answers %s by %s: %s', async (at, answer, code) => {
    deliver('one');
    server.script = (command, _args, lines) =>
      command !== at
        ? lines
        : [answer.startsWith('*') ? answer : `${lines.at(-1)?.split(' ')[0] ?? ''} ${answer}`];
    const mailbox = await connect();
    const { lastError, nextTryAt } = await eventually(
      () => syncOf(mailbox),
      ({ state }) => state === 'waiting',
    );
    expect(lastError).toMatchObject({ code });
    expect(answer).toContain(lastError?.text.split(': ').at(-1) ?? '-');
    const minutes = (Date.parse(nextTryAt ?? '') - Date.parse(lastError?.at ?? '')) / 60_000;
    expect(Math.round(minutes)).toBe(code === 'throttled' ? 15 : 0);
    server.script = (_command, _args, lines) => lines;
    expect(await becomes(mailbox, 'one')).toHaveLength(1);
  });

  it('knows what was sent by another client as ours, in its thread, and nobody waits', async () => {
    const mailbox = await connect();
    await live(mailbox);
    deliver('question', { at: hourAgo });
    await becomes(mailbox, 'question');
    const from = mailbox.address;
    const at = new Date(hourAgo.getTime() + 60_000);
    const raw = rawMessage({ subject: 'Re: question', references: 'question', from, at });
    server.deliver(raw, { path: 'Sent', at });
    await service.rows('UPDATE mailbox_syncs SET turn = turn + 1, lease_until = now()');
    await becomes(mailbox, 'question', 'Re: question');
    expect((await stored(mailbox)).map(({ direction }) => direction)).toEqual([
      'inbound',
      'outbound',
    ]);
    expect(await service.list(mailbox)).toMatchObject([{ messageCount: 2, waitingSince: null }]);
    expect(await told(mailbox)).toEqual(['conversation.received']);
  });

  describe.each<[string, (command: string, args: string) => boolean]>([
    ['LOGIN', (command) => command === 'LOGIN'],
    ['LIST', (command) => command === 'LIST'],
    ['STATUS', (command) => command === 'STATUS'],
    ['SELECT', (command) => command === 'SELECT'],
    ['SEARCH', (command) => command === 'UID SEARCH'],
    ['FETCH of heads', (command, args) => command === 'UID FETCH' && args.includes('FIELDS')],
    ['FETCH of sources', (command, args) => command === 'UID FETCH' && args.includes('PEEK[]')],
  ])('whose server, or owner, is gone at %s', (_name, isStage) => {
    it.each(['server', 'owner'] as const)('has all of it once: the %s', async (who) => {
      deliver('old one');
      deliver('old two');
      let left = 1;
      server.script = (command, args, lines) => {
        if (!isStage(command, args) || left === 0) return lines;
        left -= 1;
        if (who === 'server') return 'drop';
        // Another process has it from now on; this one must not store what is on its way.
        void service.rows(
          'UPDATE mailbox_syncs SET turn = turn + 1, lease_owner = NULL, lease_until = now()',
        );
        return lines;
      };
      const mailbox = await connect();
      await becomes(mailbox, 'old one', 'old two');
      await live(mailbox);
      left = 1;
      deliver('new one');
      deliver('new two');
      expect(await becomes(mailbox, 'new one', 'new two', 'old one', 'old two')).toHaveLength(4);
      await live(mailbox);
      expect(await told(mailbox)).toEqual(['conversation.received', 'conversation.received']);
    });
  });

  const unlike =
    (pattern: RegExp, replacement: string): ImapScript =>
    (_command, _args, lines) =>
      lines.map((line) => line.replace(pattern, replacement));

  it.each<[string, ImapScript | number]>([
    ['answers in pieces of one byte', 1],
    [
      'names UIDs that fall and repeat',
      (command, _args, lines) =>
        command === 'UID SEARCH' ? [`${lines[0]} 2 1 1`, lines[1] ?? ''] : lines,
    ],
    [
      'names UIDs beyond the next one',
      (command, _args, lines) =>
        command === 'UID SEARCH' ? [`${lines[0]} 900 4294967295`, lines[1] ?? ''] : lines,
    ],
    [
      'tells of messages without their UIDs too',
      (command, _args, lines) =>
        command === 'UID FETCH' ? ['* 1 FETCH (FLAGS (\\Seen))', ...lines] : lines,
    ],
    [
      'has EXISTS shrink',
      (command, _args, lines) =>
        command === 'SELECT' ? [...lines.slice(0, -1), '* 0 EXISTS', lines.at(-1) ?? ''] : lines,
    ],
    [
      'answers NO to LIST once',
      (() => {
        let isFirst = true;
        return (command, _args, lines) => {
          if (command !== 'LIST' || !isFirst) return lines;
          isFirst = false;
          return [`${lines.at(-1)?.split(' ')[0] ?? ''} NO not now`];
        };
      })(),
    ],
    [
      'has a folder that cannot be opened',
      (command, args, lines) =>
        (command === 'SELECT' || command === 'STATUS') && args.includes('Archive')
          ? [`${lines.at(-1)?.split(' ')[0] ?? ''} NO no`]
          : lines,
    ],
    // Google's word for that it answers late.
    ['says that it slows us down', unlike(/^(\w+) OK done$/, '$1 OK Success [THROTTLED]')],
    ['writes garbage between messages', unlike(/^\* (\d+) FETCH/, '* $1 GARBAGE\r\n* $1 FETCH')],
  ])('that %s is read all the same, each message once', async (_what, lie) => {
    if (typeof lie === 'number') server.pieceBytes = lie;
    else server.script = lie;
    deliver('first');
    deliver('second');
    const mailbox = await connect();
    await becomes(mailbox, 'first', 'second');
    await live(mailbox);
    deliver('third');
    expect(await becomes(mailbox, 'first', 'second', 'third')).toHaveLength(3);
    expect(await told(mailbox)).toEqual(['conversation.received']);
  });
});
