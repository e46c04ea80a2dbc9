import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  conversations,
  imports,
  importSteps,
  newId,
  type BegunImport,
  type ConversationAnswer,
  type ConversationPage,
  type ImportList,
  type ImportProgress,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

interface Written {
  readonly id?: string | null;
  readonly references?: string;
  readonly from?: string;
  readonly subject?: string;
  readonly date?: string;
  readonly text?: string;
}

const newMessageId = (): string => `<${randomUUID()}@correspondent.example>`;

/** A message as a file has it. */
const written = ({ id = newMessageId(), references, date, ...given }: Written = {}): string => {
  const { from = 'camille@correspondent.example', subject = 'Old question', text = 'Hi' } = given;
  const lines = [
    `From: ${from}`,
    `Subject: ${subject}`,
    ...(id === null ? [] : [`Message-ID: ${id}`]),
    ...(references === undefined ? [] : [`References: ${references}`]),
    ...(date === undefined ? [] : [`Date: ${date}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}\r\n`;
};

describe('imports', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });

  afterAll(() => service.close());

  const asking = (of: MailboxOf = mailbox) => ({ caller: anAdmin({ tenantId: of.tenantId }) });

  const begin = async (of: MailboxOf = mailbox): Promise<string> => {
    const input = { mailboxId: of.id };
    return (await service.call<BegunImport>(importSteps.begin, input, asking(of))).body.id;
  };

  const take = (
    id: string,
    first: number,
    messages: readonly (string | null)[],
    of: MailboxOf = mailbox,
    separators: string[] = [],
  ): Promise<Answer<ImportProgress>> => {
    const texts = messages.map((one) => (one === null ? '-' : Buffer.from(one).toString('base64')));
    const input = { id, first, messages: texts, separators, bytesRead: first * 100 };
    return service.call(importSteps.take, input, asking(of));
  };

  const end = (id: string, state: 'done' | 'failed' = 'done', of: MailboxOf = mailbox) =>
    service.call(importSteps.end, { id, state, bytesRead: 123 }, asking(of));

  /** Imports into a new mailbox and answers its conversations. */
  const imported = async (...messages: readonly string[]) => {
    const of = await service.mailbox();
    const progress = await take(await begin(of), 0, messages, of);
    expect(progress.body).toMatchObject({ done: messages.length });
    return { of, progress: progress.body, items: await service.list(of) };
  };

  const whole = async (of: MailboxOf, id: string) => {
    const input = { id, mailbox: of.address };
    const { caller } = of;
    return (await service.call<ConversationAnswer>(conversations.get, input, { caller })).body
      .conversation;
  };

  it('keep messages and count what became of each', async () => {
    const of = await service.mailbox();
    const id = await begin(of);
    const same = written();
    const taken = await take(id, 0, [written(), same, same, '\0\x01 no message', null], of);
    expect(taken.body).toEqual({ done: 5, imported: 2, duplicates: 1, unparsed: 2 });
    expect((await end(id, 'done', of)).body).toEqual({ imported: 2, duplicates: 1, unparsed: 2 });
    expect(await service.count('messages', of)).toBe(3);
    expect(await service.count('raw_messages', of)).toBe(3);
  });

  it('do once what is asked for again, and answer what was done', async () => {
    const of = await service.mailbox();
    const id = await begin(of);
    const messages = [written(), written({ id: null, text: 'x' }), written()];
    await take(id, 0, messages.slice(0, 2), of);
    const again = await take(id, 0, messages, of);
    expect(again.body).toEqual({ done: 3, imported: 3, duplicates: 0, unparsed: 0 });
    expect(await service.count('messages', of)).toBe(3);
  });

  it('know a copy of a message that has come before, with a Message-ID or without', async () => {
    const of = await service.mailbox();
    const messages = [written(), written({ id: null }), written({ id: null, text: 'other' })];
    const first = await begin(of);
    await take(first, 0, messages, of);
    await end(first, 'done', of);
    const again = await take(await begin(of), 0, messages, of);
    expect(again.body).toMatchObject({ imported: 0, duplicates: 3 });
  });

  it('know a copy of a message that came by SMTP', async () => {
    const of = await service.mailbox();
    await service.send({ to: of.address, messageId: newMessageId() });
    const { rows } = await service.admin.query<{ raw: Buffer }>(
      'SELECT raw FROM raw_messages WHERE tenant_id = $1',
      [of.tenantId],
    );
    const raw = `Received: from elsewhere\r\n${rows[0]?.raw.toString() ?? ''}`;
    expect((await take(await begin(of), 0, [raw], of)).body).toMatchObject({ duplicates: 1 });
  });

  it('are no news: no event, nothing unread, nobody waits', async () => {
    const { of, items } = await imported(written({ date: 'Mon, 5 Jan 2015 10:00:00 +0100' }));
    expect(items).toMatchObject([
      {
        unread: false,
        placement: 'inbox',
        status: 'open',
        waitingSince: null,
        lastMessageAt: '2015-01-05T09:00:00.000Z',
        messageCount: 1,
        from: { email: 'camille@correspondent.example' },
      },
    ]);
    expect(await service.events(of)).toEqual([]);
  });

  it('reopen nothing', async () => {
    const of = await service.mailbox();
    const messageId = newMessageId();
    const { id } = await service.conversation(of, { messageId });
    const { caller } = of;
    await service.call(conversations.archive, { id, mailbox: of.address }, { caller });
    await take(await begin(of), 0, [written({ references: messageId })], of);
    expect(await whole(of, id)).toMatchObject({ placement: 'archived', messageCount: 2 });
  });

  it('count a message of the future, or of no time, as arrived now', async () => {
    const before = Date.now();
    const future = written({ date: 'Mon, 5 Jan 2099 10:00:00 +0100' });
    const { items } = await imported(future, written());
    for (const { lastMessageAt } of items) {
      expect(Date.parse(lastMessageAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(lastMessageAt)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('make one conversation of a thread in any order, its messages oldest first', async () => {
    const [one, two, three] = [newMessageId(), newMessageId(), newMessageId()];
    const day = (n: number): string => `Mon, ${n} Jan 2015 10:00:00 +0000`;
    const thread = [
      written({ id: one, subject: 'Order', date: day(5), text: 'first' }),
      written({ id: two, subject: 'Re: Order', references: one, date: day(6), text: 'second' }),
      written({
        id: three,
        subject: 'Re: Order',
        references: `${one} ${two}`,
        date: day(7),
        text: 'third',
      }),
    ];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [2, 0, 1],
    ]) {
      const { of, items } = await imported(...order.map((n) => thread[n] ?? ''));
      expect(items).toMatchObject([
        { subject: 'Order', preview: 'third', lastMessageAt: '2015-01-07T10:00:00.000Z' },
      ]);
      const { messages, lastMessageId } = await whole(of, items[0]?.id ?? '');
      expect(messages.map(({ text }) => text?.trim())).toEqual(['first', 'second', 'third']);
      expect(lastMessageId).toBe(messages[2]?.id);
    }
  });

  it('name the last who wrote from outside, whatever came when', async () => {
    const root = newMessageId();
    const of = await service.mailbox();
    const from = async (writer: string, day: number, id = newMessageId()) => {
      const date = `Mon, ${day} Jan 2015 10:00:00 +0000`;
      await take(run, taken++, [written({ id, references: root, from: writer, date })], of);
      const [item] = await service.list(of);
      return item?.from?.email;
    };
    const run = await begin(of);
    let taken = 0;
    expect(await from(of.address, 9, root)).toBeUndefined();
    expect(await from('b@x.test', 5)).toBe('b@x.test');
    expect(await from('c@x.test', 7)).toBe('c@x.test');
    expect(await from('d@x.test', 6)).toBe('c@x.test');
    expect(await from(of.address.toUpperCase(), 10)).toBe('c@x.test');
    expect(await from('e@x.test', 11)).toBe('e@x.test');
  });

  it('take what the mailbox itself has written as sent, once, and as an answer', async () => {
    const of = await service.mailbox();
    const question = newMessageId();
    const { id } = await service.conversation(of, { messageId: question });
    const asked = '2020-01-01T00:00:00Z';
    const values = [id, asked];
    await service.admin.query(
      'UPDATE messages SET received_at = $2 WHERE conversation_id = $1',
      values,
    );
    await service.admin.query(
      'UPDATE conversations SET waiting_since = $2, last_message_at = $2 WHERE id = $1',
      values,
    );
    const from = `Us <${of.address.toUpperCase()}>`;
    const date = '2 Jan 2020 10:00 GMT';
    const answer = written({ references: question, from, date, text: 'our answer' });
    const early = written({ references: question, from, date: '5 Jan 2015 10:00 GMT' });
    const taken = await take(await begin(of), 0, [early], of);
    expect(taken.body).toMatchObject({ imported: 1 });
    expect(await whole(of, id)).toMatchObject({ waitingSince: '2020-01-01T00:00:00.000Z' });
    await service.admin.query(`UPDATE imports SET state = 'done' WHERE mailbox_id = $1`, [of.id]);
    const again = await take(await begin(of), 0, [answer, early, answer], of);
    expect(again.body).toMatchObject({ imported: 1, duplicates: 2 });
    const { messages, waitingSince } = await whole(of, id);
    expect(waitingSince).toBeNull();
    expect(messages.map(({ direction }) => direction)).toEqual(['outbound', 'inbound', 'outbound']);
  });

  it.each([
    ['Spam', 'spam', []],
    ['Papierkorb,Ungelesen', 'trash', []],
    [
      'Archived,Customers/ACME,"Smith, Ann",Category updates',
      'archived',
      ['Customers/ACME', 'Smith, Ann'],
    ],
    ['=?utf-8?q?Bo=C3=AEte_de_r=C3=A9ception=2CVIP?=', 'inbox', ['VIP']],
    ['Sent,Opened', 'inbox', []],
  ])('keep what Gmail calls %j in its place', async (labels, placement, kept) => {
    const of = await service.mailbox();
    await take(await begin(of), 0, [`X-Gmail-Labels: ${labels}\r\n${written()}`], of);
    const input = { mailbox: of.address, placement: 'all' as const, limit: 5 };
    const listed = await service.call<ConversationPage>(conversations.list, input, of);
    expect(listed.body.conversations).toMatchObject([{ placement, labels: kept }]);
  });

  it.each([
    ['the line above it', 'From x Tue Jun  2 10:00:00 2020', ''],
    [
      'its newest trace',
      'From x',
      'Received: by a; Tue, 2 Jun 2020 12:00:00 +0200\r\nReceived: by b; 1 Jan 2019 1:00\r\n',
    ],
  ])('date a message without a date by %s', async (_what, separator, trace) => {
    const of = await service.mailbox();
    await take(await begin(of), 0, [trace + written()], of, [separator]);
    expect((await service.list(of))[0]?.lastMessageAt).toBe('2020-06-02T10:00:00.000Z');
  });

  it('go on one at a time in one mailbox, however many begin at once', async () => {
    const [of, beside] = [await service.mailbox(), await service.mailbox()];
    const asked = { mailboxId: of.id };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.call(importSteps.begin, asked, asking(of))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.problem).toBe('IMPORT_UNDER_WAY');
    await end(await begin(beside), 'done', beside);
    const running = answers.find(({ status }) => status === 200)?.body as BegunImport;
    await end(running.id, 'failed', of);
    await end(await begin(of), 'done', of);
  });

  it('take the place of one that has given no sign of life, which takes nothing more', async () => {
    const of = await service.mailbox();
    const lost = await begin(of);
    await service.admin.query(
      `UPDATE imports SET progressed_at = now() - interval '3 minutes' WHERE tenant_id = $1`,
      [of.tenantId],
    );
    const next = await begin(of);
    expect(await take(lost, 0, [written()], of)).toMatchObject({ problem: 'IMPORT_NOT_FOUND' });
    expect((await take(next, 0, [written()], of)).body).toMatchObject({ imported: 1 });
  });

  it('are one record of the audit, which names the mailbox', async () => {
    const of = await service.mailbox();
    const id = await begin(of);
    await take(id, 0, [written()], of);
    await end(id, 'done', of);
    const records = await service.audit(of);
    expect(records.map(({ action, subjectId }) => [action, subjectId])).toEqual(
      expect.arrayContaining([['imports.run', of.id]]),
    );
    expect(records.filter(({ action }) => action.startsWith('import'))).toHaveLength(1);
  });

  it('are listed, the newest first, while they run and afterwards', async () => {
    const of = await service.mailbox();
    const first = await begin(of);
    await take(first, 0, [written()], of);
    await end(first, 'failed', of);
    const second = await begin(of);
    const listed = await service.call<ImportList>(imports.list, { id: of.id }, asking(of));
    expect(listed.body).toEqual({
      nextPageToken: null,
      truncated: false,
      items: [
        {
          ...{ id: second, state: 'running', bytesRead: 0, imported: 0, duplicates: 0 },
          ...{ unparsed: 0, startedAt: expect.any(String), finishedAt: null },
        },
        {
          ...{ id: first, state: 'failed', bytesRead: 123, imported: 1, duplicates: 0 },
          ...{ unparsed: 0, startedAt: expect.any(String), finishedAt: expect.any(String) },
        },
      ],
    });
  });

  it('have failed when they give no sign of life', async () => {
    const of = await service.mailbox();
    await begin(of);
    await service.admin.query(
      `UPDATE imports SET progressed_at = now() - interval '3 minutes' WHERE tenant_id = $1`,
      [of.tenantId],
    );
    const listed = await service.call<ImportList>(imports.list, { id: of.id }, asking(of));
    expect(listed.body.items).toMatchObject([{ state: 'failed', finishedAt: expect.any(String) }]);
  });

  it('take nothing once they have ended', async () => {
    const id = await begin();
    await end(id);
    expect(await take(id, 0, [written()])).toMatchObject({ problem: 'IMPORT_NOT_FOUND' });
    expect(await end(id)).toMatchObject({ problem: 'IMPORT_NOT_FOUND' });
  });

  it('are stopped once, by their own workspace and mailbox; what was imported stays', async () => {
    const of = await service.mailbox();
    const id = await begin(of);
    await take(id, 0, [written()], of);
    const stop = async (by: MailboxOf, input = { id: of.id, importId: id }) =>
      (await service.call(imports.stop, input, asking(by))).problem;
    expect(await stop(await service.mailbox())).toBe('IMPORT_NOT_FOUND');
    expect(await stop(of, { id: newId('mbx'), importId: id })).toBe('IMPORT_NOT_FOUND');
    expect(await stop(of)).toBeNull();
    expect(await stop(of)).toBe('IMPORT_NOT_FOUND');
    expect(await take(id, 1, [written()], of)).toMatchObject({ problem: 'IMPORT_STOPPED' });
    expect(await end(id, 'done', of)).toMatchObject({ problem: 'IMPORT_STOPPED' });
    expect(await service.count('messages', of)).toBe(1);
    const listed = await service.call<ImportList>(imports.list, { id: of.id }, asking(of));
    const finishedAt = expect.any(String);
    expect(listed.body.items).toMatchObject([{ id, state: 'stopped', imported: 1, finishedAt }]);
    await end(await begin(of), 'done', of);
  });

  it('answer not found for an unknown mailbox, and for another workspace’s', async () => {
    const other = await service.mailbox();
    for (const mailboxId of [newId('mbx'), other.id]) {
      const begun = await service.call(importSteps.begin, { mailboxId }, asking());
      const listed = await service.call(imports.list, { id: mailboxId }, asking());
      for (const answer of [begun, listed]) {
        expect(answer).toMatchObject({ status: 404, problem: 'MAILBOX_NOT_FOUND' });
      }
    }
    const id = await begin(other);
    expect(await take(id, 0, [written()])).toMatchObject({ problem: 'IMPORT_NOT_FOUND' });
    expect(await end(id)).toMatchObject({ problem: 'IMPORT_NOT_FOUND' });
  });
});
