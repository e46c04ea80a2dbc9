// tags: kafka
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@postroom/testing/until';
import { anyTransport } from './any-transport.js';
import { send, type Answer } from './http.js';
import { newMessageId } from './mail.js';
import { conversationOf, itemsOf, mailboxOf, pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const separator = 'From camille@x.test Fri Jul  8 12:08:34 2011\n';

const written = (subject: string, text = 'Hello', id = newMessageId()): string =>
  `From: camille@correspondent.example\nSubject: ${subject}\nMessage-ID: ${id}\n` +
  `Date: Fri, 8 Jul 2011 12:08:34 +0000\n\n${text}\n`;

const mboxOf = (...messages: readonly string[]): string =>
  messages.map((message) => `${separator}${message}\n`).join('');

describe('importing mail', () => {
  let place: Workplace;
  let id: string;
  let address: string;
  let key: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    ({ id, address } = await newMailbox());
    key = await place.keyFor(address);
  });

  const newMailbox = async () => {
    const made = `box-${randomUUID()}@acme.test`;
    return mailboxOf(await place.settings.post('/mailboxes', { address: made, name: 'Import' }));
  };

  const importTo = (
    mailbox: string,
    body: string | Buffer,
    { type = 'application/mbox' } = {},
  ): Promise<Answer> =>
    send(`${place.product.settingsUrl}/mailboxes/${mailbox}/import`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': type, Cookie: place.settings.cookie },
    });

  const importsOf = async (mailbox: string) =>
    itemsOf(await place.settings.get(`/mailboxes/${mailbox}/imports`)) as Record<string, unknown>[];

  /** Sends the beginning of an import; the spec sends the rest. */
  const started = (mailbox: string, length: number) => {
    const { settingsUrl } = place.product;
    const outgoing = request(`${settingsUrl}/mailboxes/${mailbox}/import`, {
      method: 'POST',
      agent: false,
      headers: {
        Cookie: place.settings.cookie,
        'Content-Type': 'application/mbox',
        'Content-Length': String(length),
      },
    });
    const answered = new Promise<number>((resolve) => {
      outgoing.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      outgoing.on('error', () => {
        resolve(0);
      });
    });
    return { outgoing, answered };
  };

  const importUntil = async (
    mailbox: string,
    wanted: (newest: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> => {
    let newest: Record<string, unknown> = {};
    await until(async () => wanted((newest = (await importsOf(mailbox))[0] ?? newest)));
    return newest;
  };

  it('keeps the messages of an mbox file, which are there to be read at once', async () => {
    const subjects = [`One ${randomUUID()}`, `Two ${randomUUID()}`];
    const mbox = mboxOf(...subjects.map((subject) => written(subject, '>From me\n\nYours')));
    const answer = await importTo(id, mbox);
    expect([answer.status, recordOf(answer)]).toEqual([
      200,
      { imported: 2, duplicates: 0, unparsed: 0 },
    ]);
    const { conversations } = pageOf(await key.get('/v1/conversations', { mailbox: address }));
    const shown = conversations.filter(({ subject }) => subjects.includes(subject));
    expect(shown).toHaveLength(2);
    expect(shown).toMatchObject(
      subjects.map(() => ({ unread: false, lastMessageAt: '2011-07-08T12:08:34.000Z' })),
    );
    for (const { id: conversation } of shown) {
      const path = `/v1/conversations/${conversation}`;
      const { messages } = conversationOf(await key.get(path, { mailbox: address }));
      expect(messages).toMatchObject([{ text: 'From me\n\nYours\n' }]);
    }
  });

  // Over Kafka large bodies are proved by sends-large.spec.ts; this one takes a busy disk half a minute there.
  anyTransport(it)(
    'keeps a message of nearly 50 MiB',
    async () => {
      const { id: own, address: mailbox } = await newMailbox();
      const large = written('Large', `${'x'.repeat(998)}\n`.repeat(48 * 1024));
      // 503 when a busy machine takes 30 s to store it; then a client sends it again, once the first has ended (409).
      const imported = async () => {
        for (;;) {
          const answer = await importTo(own, large, { type: 'message/rfc822' });
          if (answer.status !== 503 && answer.status !== 409) return answer.status;
          await sleep(1_000);
        }
      };
      expect([await imported(), await imported()]).toEqual([200, 200]);
      const [repeat] = await importsOf(own);
      expect(repeat).toMatchObject({ state: 'done', imported: 0, duplicates: 1 });
      const reader = await place.keyFor(mailbox);
      const { conversations } = pageOf(await reader.get('/v1/conversations', { mailbox }));
      expect(conversations).toHaveLength(1);
    },
    400_000,
  );

  it('keeps what it had when its sender goes away; a repeat doubles nothing', async () => {
    const { id: own } = await newMailbox();
    const mbox = mboxOf(
      ...Array.from({ length: 500 }, (_, n) => written(`Cut ${n}`, 'y'.repeat(900))),
    );
    const { outgoing, answered } = started(own, mbox.length);
    outgoing.write(mbox.slice(0, (mbox.length * 4) / 5 + 77));
    await sleep(1_100);
    outgoing.write(mbox.slice((mbox.length * 4) / 5 + 77, -300));
    await importUntil(own, ({ imported }) => Number(imported) > 0);
    outgoing.destroy();
    await answered;
    const { imported } = await importUntil(own, ({ state }) => state === 'failed');
    expect(imported).toBeLessThan(500);
    const kept = Number(imported);
    expect(recordOf(await importTo(own, mbox))).toEqual({
      imported: 500 - kept,
      duplicates: kept,
      unparsed: 0,
    });
  });
});
