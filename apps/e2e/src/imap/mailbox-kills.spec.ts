// tags: imap, own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  dovecot,
  Dovecot,
  GreenMail,
  greenMail,
  whereThere,
  type MailServer,
} from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { send } from '../http.js';
import { type ProductProcess, startProduct } from '../product-process.js';
import { type ConversationItem, mailboxOf, pageOf, recordOf } from '../wire.js';
import { type OwnKey, Workplace } from '../workplace.js';

const mebibyte = 1024 * 1024;
/** IMAP_RUN=full is the whole of what is promised; it takes half an hour. */
const isWhole = process.env['IMAP_RUN'] === 'full';
/** GreenMail makes a list of all UIDs for each message of a folder at each FETCH: with 20,000 one takes minutes. */
const messagesAt = isWhole
  ? { Dovecot: 20_000, GreenMail: 4_000 }
  : { Dovecot: 1_000, GreenMail: 1_000 };
const kills = isWhole ? 20 : isFullRun() ? 6 : 3;
const minutes = (count: number): number => count * 60_000;

const words = Array.from({ length: 3_000 }, () => randomUUID().slice(0, randomInt(3, 9)));
/** As much text as an ordinary message has, 15 KiB on average. */
const someText = (): string =>
  Array.from({ length: randomInt(1, 400) }, () =>
    Array.from({ length: 12 }, () => words[randomInt(words.length)]).join(' '),
  ).join('\r\n');

const rawMessage = (subject: string, headers: readonly string[] = []): string =>
  [
    ...['From: Camille <camille@correspondent.example>', 'To: support@acme.test'],
    ...[
      `Subject: ${subject}`,
      `Message-ID: <${subject.replaceAll(' ', '.')}@correspondent.example>`,
    ],
    ...headers,
    ...['', someText(), ''],
  ].join('\r\n');

interface Sync {
  readonly state: string;
  readonly folders: readonly {
    readonly path: string;
    readonly role: string;
    readonly read: number;
  }[];
}

/** An administrator's stream from now on. */
async function streamOf({ product, settings }: Workplace) {
  const said = { text: '', close: (): unknown => null };
  await new Promise<void>((resolve, reject) => {
    const take = (response: IncomingMessage): void => {
      response.setEncoding('utf8').on('data', (chunk: string) => (said.text += chunk));
      response.on('error', () => undefined);
      said.close = () => response.destroy();
      resolve();
    };
    const { cookie } = settings;
    get(`${product.settingsUrl}/stream`, { headers: { cookie } }, take).on('error', reject);
  });
  return said;
}

describe.each([
  ['Dovecot', dovecot, () => Dovecot.start(), '/'],
  ['GreenMail', greenMail(), () => GreenMail.start(), '.'],
] as const)('a mailbox at %s', (name, program, startServer, separator) => {
  const messages = messagesAt[name];
  whereThere(program, describe)(`with ${messages} messages`, () => {
    let running: ProductProcess;
    let place: Workplace;
    let server: MailServer;
    beforeAll(async () => {
      server = await startServer();
      // The port of its inspector is any free one.
      running = await startProduct({ NODE_OPTIONS: '--inspect-port=0' });
      place = await Workplace.open('acme', running.product);
    });
    afterAll(async () => {
      await running.remove();
      await server.close();
    });

    const residentBytes = async (): Promise<number> => {
      const status = await readFile(`/proc/${running.launched.pid}/status`, 'utf8').catch(() => '');
      return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    };

    /** The memory that is held, without garbage: V8 lets a heap double before it collects (docs/adr/0035). */
    const heldBytes = async (): Promise<number> => {
      const told = /Debugger listening on (ws:\S+)/;
      running.launched.kill('SIGUSR1');
      await until(() => told.test(running.output()));
      const inspector = new WebSocket(told.exec(running.output())?.[1] ?? '');
      await new Promise((resolve) => inspector.addEventListener('open', resolve));
      const collected = new Promise((resolve) => inspector.addEventListener('message', resolve));
      inspector.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
      await collected;
      const held = await residentBytes();
      inspector.close();
      return held;
    };

    /** The subjects of all messages of a mailbox, one for each message. */
    const subjectsIn = async (api: OwnKey, mailbox: string): Promise<string[]> => {
      const subjects: string[] = [];
      for (let pageToken: string | null = ''; pageToken !== null;) {
        const asked = { mailbox, limit: 100, ...(pageToken !== '' && { pageToken }) };
        const page = pageOf(await api.get('/v1/conversations', asked));
        for (const { subject, messageCount } of page.conversations)
          subjects.push(...Array.from({ length: messageCount }, () => subject));
        pageToken = page.nextPageToken;
      }
      return subjects;
    };

    /** The subjects of arrivals that were told of. */
    const toldOf = async (api: OwnKey, mailbox: string): Promise<string[]> => {
      const told: string[] = [];
      for (let after: string | null = null; ;) {
        const asked = {
          types: 'conversation.received',
          limit: 500,
          ...(after !== null && { after }),
        };
        const page = recordOf(await api.get('/v1/events', asked));
        const events = page['events'] as { data: { conversation: ConversationItem } }[];
        const ours = events.filter(({ data }) => data.conversation.mailbox === mailbox);
        told.push(...ours.map(({ data }) => data.conversation.subject));
        after = page['nextAfter'] as string | null;
        if (events.length === 0 || after === null) return told;
      }
    };

    it(
      `has each once, tells of none twice after ${kills} kills of either side, and holds 150 MiB at most`,
      async () => {
        const user = `support-${randomUUID().slice(0, 8)}`;
        const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
        const subjects = Array.from({ length: messages }, (_, n) => `old ${n}`);
        for (const [n, subject] of subjects.entries())
          await server.deliver(user, rawMessage(subject), { at: ago(messages + 600 - n) });

        const [started, idle] = [await residentBytes(), await heldBytes()];
        let most = 0;
        const watch = setInterval(() => {
          void residentBytes().then((now) => (most = Math.max(most, now)));
        }, 200);
        const address = `box-${randomUUID()}@acme.test`;
        const imap = {
          host: '127.0.0.1',
          port: server.port,
          secure: false,
          user,
          password: 'secret',
        };
        const { id } = mailboxOf(
          await place.settings.post('/mailboxes', { address, name: 'Kept elsewhere', imap }),
        );
        const api = await place.keyFor(address);
        const sync = async (): Promise<Sync> =>
          recordOf(await place.settings.get(`/mailboxes/${id}/sync`))['sync'] as Sync;
        const read = async (): Promise<number> =>
          (await sync()).folders.reduce((sum, folder) => sum + folder.read, 0);
        const startMs = performance.now();
        await until(async () => (await read()) > 0);

        // Mail that is there before the first look is history, and all later mail is told of once.
        const news: string[] = [];
        for (let kill = 0; kill < kills; kill += 1) {
          // A killed owner's lease lasts half a minute: the next kill is while the mailbox is read again.
          const before = await read();
          await until(async () => (await read()) > before);
          await sleep(randomInt(100, 1_500));
          news.push(`new ${kill}`);
          await server.deliver(user, rawMessage(`new ${kill}`));
          await sleep(randomInt(300));
          await running.kill('services');
          await running.restart();
          await sleep(randomInt(100, 3_000));
          await server.interrupt();
        }
        const begun = await read();
        await until(async () => (await read()) > begun);
        const held = await heldBytes();
        const all = [...subjects, ...news];
        await until(async () => (await read()) >= all.length, minutes(40));
        const seconds = (performance.now() - startMs) / 1_000;
        await until(async () => (await sync()).state === 'live');
        clearInterval(watch);
        expect((await subjectsIn(api, address)).sort()).toEqual(all.sort());
        expect((await toldOf(api, address)).sort()).toEqual(news.sort());

        const delays: number[] = [];
        for (let n = 0; n < 5; n += 1) {
          const sentMs = performance.now();
          await server.deliver(user, rawMessage(`last ${n}`));
          await until(async () => {
            const page = pageOf(
              await api.get('/v1/conversations', { mailbox: address, limit: 10 }),
            );
            return page.conversations.some(({ subject }) => subject === `last ${n}`);
          });
          delays.push(Math.round(performance.now() - sentMs));
          await sleep(500);
        }
        const mebibytes = (bytes: number): number => Math.round(bytes / mebibyte);
        const [over, atMost] = [mebibytes(held - idle), mebibytes(most - started)];
        process.stderr.write(
          `${name}: ${all.length} messages in ${Math.round(seconds)} s with ${kills} kills of either side, ` +
            `${over} MiB over the start held, ${atMost} at most, new ones after ${delays.join(', ')} ms\n`,
        );
        expect(Math.min(...delays)).toBeLessThan(2_000);
        expect(over).toBeLessThan(150);
      },
      minutes(60),
    );

    it('shows how it goes, and reads a folder of any name as what a member says it is', async () => {
      const user = `support-${randomUUID().slice(0, 8)}`;
      const address = `box-${randomUUID()}@acme.test`;
      // Modified UTF-7 (RFC 3501 section 5.1.3).
      const [path, encoded] = [`Projets${separator}Été & co`, `Projets.&AMk-t&AOk- &- co`];
      const from = `From: Support <${address}>`;
      await server.deliver(user, rawMessage('asked', ['In-Reply-To: <nothing@x.example>']));
      const ours = rawMessage('answered').replace(/^From: .*$/m, from);
      await server.deliver(user, ours, { folder: encoded });
      const frames = await streamOf(place);
      const imap = {
        host: '127.0.0.1',
        port: server.port,
        secure: false,
        user,
        password: 'secret',
      };
      const { id } = mailboxOf(
        await place.settings.post('/mailboxes', { address, name: 'Shown', imap }),
      );
      const sync = async (): Promise<Sync> =>
        recordOf(await place.settings.get(`/mailboxes/${id}/sync`))['sync'] as Sync;
      await until(async () => (await sync()).state === 'live');
      expect((await sync()).folders).toContainEqual(
        expect.objectContaining({ path, role: 'other' }),
      );
      const changed = await place.settings.patch(`/mailboxes/${id}/folders`, {
        path,
        role: 'sent',
      });
      expect(changed.status).toBe(200);
      const isRead = ({ role, read }: Sync['folders'][number]): boolean =>
        role === 'sent' && read === 1;
      await until(async () => (await sync()).folders.some(isRead));
      const api = await place.keyFor(address);
      const page = pageOf(await api.get('/v1/conversations', { mailbox: address, limit: 10 }));
      const answered = page.conversations.find(({ subject }) => subject === 'answered');
      expect(answered).toMatchObject({ from: null, messageCount: 1 });
      await until(() => frames.text.includes('"state":"live"') && frames.text.includes(id));
      const { text } = await send(new URL('/metrics', running.readyUrl).href);
      expect(text).toMatch(/postroom_mailbox_syncs\{[^}]*state="live"[^}]*\} [1-9]/);
      expect(text).toContain('postroom_mailbox_lag_seconds_bucket');
      frames.close();
    });
  });
});
