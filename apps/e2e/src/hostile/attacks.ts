import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { always, ScriptedSmtp } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { send } from '../http.js';
import { deliverRaw, newMessageId } from '../mail.js';
import type { Product } from '../product.js';
import { query } from '../public-api.js';
import { aMessage, mailboxBehind, senderFor, sendMessage } from '../sending.js';
import { conversationOf } from '../wire.js';
import { Workplace } from '../workplace.js';

const mebi = 1024 * 1024;

/** Goes on for a time, or a little longer: what ends by itself is done again until then, once at least. */
export type Attacking = (ms: number) => Promise<void>;

/** The attack of one workspace, or of a stranger, on a product; another workspace must not notice it. */
export interface Attack {
  readonly id: string;
  /** The means of the attack, as a part of a sentence. */
  readonly title: string;
  /** The duration in the suite; an attack that ends by itself is done once. */
  readonly ms: number;
  /** Makes what it needs, which is no attack yet. */
  prepare(field: Battlefield): Promise<Attacking>;
}

/** A product, the workspace that attacks it, and the connections that it leaves open. */
export class Battlefield {
  private readonly open: Socket[] = [];

  private constructor(
    readonly product: Product,
    readonly attacker: Workplace,
  ) {}

  static async of(product: Product): Promise<Battlefield> {
    return new Battlefield(product, await Workplace.open('acme', product));
  }

  /** Bytes on a connection that nobody reads, to each gateway in turn. */
  raw(bytes: string): void {
    const gateways = this.product.instances?.flatMap(({ baseUrl }) => baseUrl ?? []);
    const urls = gateways ?? [this.product.baseUrl];
    const { hostname, port } = new URL(urls[this.open.length % urls.length] ?? '');
    const socket = connect({ host: hostname, port: Number(port) });
    this.hold(socket);
    socket.write(bytes);
  }

  /** Keeps a connection until all are closed. */
  hold(socket: Socket): void {
    this.open.push(socket);
    socket.on('error', () => undefined);
  }

  /** Closes all connections. */
  clear(): void {
    for (const socket of this.open.splice(0)) socket.destroy();
  }

  mail(to: string, headers: string, body: string): Promise<void> {
    const head = `From: a@correspondent.example\nContent-Type: text/plain; charset=utf-8\n`;
    return deliverRaw(this.product, to, `${head}${headers}\n${body}`);
  }
}

const times = <T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

/** Repeats an attack that ends by itself. */
const again =
  (once: () => Promise<unknown>): Attacking =>
  async (ms) => {
    const untilMs = performance.now() + ms;
    do await once();
    while (performance.now() < untilMs);
  };

/** An attack that only holds something: started, held and released. */
const held =
  (field: Battlefield, begin: () => void): Attacking =>
  async (ms) => {
    begin();
    await sleep(ms);
    field.clear();
  };

const marksOf = (): string => `a${'\u0301\u0316'.repeat(100_000)}`;

/** Slow rules search all of it: without the letter that ends their matches the engine would not begin. */
export const slowText = 'c' + 'ab'.repeat(49_000);

/** In the order in which they are made: the process keeps what the last one takes. */
export const attacks: readonly Attack[] = [
  {
    id: 'mail-marks',
    title: 'mail of 200,000 combining marks',
    ms: 0,
    async prepare(field) {
      const box = await field.attacker.mailbox();
      return again(() => times(6, (i) => field.mail(box, `Subject: marks ${i}\n`, marksOf())));
    },
  },
  {
    id: 'send-marks',
    title: 'sends of 200,000 combining marks',
    ms: 0,
    async prepare({ attacker }) {
      const box = await attacker.mailbox();
      const key = await senderFor(attacker, box);
      const body = `<p>${marksOf()}</p>`;
      return again(() => times(6, () => sendMessage(key, aMessage(box, { body }))));
    },
  },
  {
    id: 'quotes',
    title: 'address headers of 200 KB with unclosed quotes',
    ms: 0,
    async prepare(field) {
      const box = await field.attacker.mailbox();
      const headers = ['To', 'Cc', 'Reply-To']
        .map((name) => `${name}: ${'\\"'.repeat(75_000)}\n`)
        .join('');
      return again(() => times(6, () => field.mail(box, headers, 'hello')));
    },
  },
  {
    id: 'downloads',
    title: 'sixty downloads that nobody reads',
    ms: 15_000,
    async prepare(field) {
      const { attacker } = field;
      const box = await attacker.mailbox();
      const key = await attacker.keyFor(box);
      const file = Buffer.alloc(20 * mebi, 'unread ');
      const { id } = await attacker.receive(key, box, {
        attachments: [{ filename: 'large.bin', content: file }],
      });
      const answer = await key.get(`/v1/conversations/${id}`, { mailbox: box });
      const attachment = conversationOf(answer).messages[0]?.attachments[0]?.id ?? '';
      const path = `/public/v1/attachments/${attachment}?mailbox=${box}`;
      return held(field, () => {
        for (let i = 0; i < 60; i++)
          field.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\n\r\n`);
      });
    },
  },
  {
    id: 'sign-ins',
    title: '600 sign-ins whose body does not come',
    ms: 8_000,
    prepare(field) {
      const head =
        'POST /settings/api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      const body = '{"email":"'.padEnd(100_000, 'x');
      return Promise.resolve(
        held(field, () => {
          for (let i = 0; i < 600; i++) field.raw(`${head}Content-Length: 900000\r\n\r\n${body}`);
        }),
      );
    },
  },
  {
    id: 'tarpit',
    title: 'sends to a server that never answers',
    ms: 20_000,
    async prepare({ attacker }) {
      return async (ms) => {
        const tarpit = await ScriptedSmtp.listen(always('mail', 'silence'));
        const box = await mailboxBehind(attacker, tarpit);
        const key = await senderFor(attacker, box);
        const sending = times(100, () => sendMessage(key, aMessage(box)).catch(() => undefined));
        await sleep(ms);
        await tarpit.close();
        await sending;
      };
    },
  },
  {
    id: 'rules',
    title: 'rules that take long to try',
    ms: 8_000,
    async prepare({ attacker }) {
      const rule = (i: number) => ({
        name: `Slow ${i}`,
        detector: 'pattern',
        pattern: '(a|b|ab)*[ab]{50}c',
        action: 'warn',
        mailboxes: [],
        enabled: false,
      });
      // A limit that its workspace has just filled may refuse it for some seconds.
      const isMade = async (i: number): Promise<boolean> =>
        (await attacker.settings.post('/dlp-rules', rule(i))).status === 201;
      await times(20, (i) => until(() => isMade(i)));
      const tryAll = () => attacker.settings.post('/dlp-rules/try', { text: slowText });
      return again(() => times(40, tryAll));
    },
  },
  {
    id: 'imports',
    title: 'imports that come byte by byte',
    ms: 3_000,
    async prepare(field) {
      const { settings } = field.attacker;
      const { items } = JSON.parse((await settings.get('/mailboxes')).text) as {
        items: { id: string }[];
      };
      const head =
        `POST /settings/api/mailboxes/${items[0]?.id}/import HTTP/1.1\r\nHost: x\r\n` +
        `Cookie: ${settings.cookie}\r\nContent-Type: application/mbox\r\n`;
      return held(field, () => {
        for (let i = 0; i < 10; i++) field.raw(`${head}Content-Length: 1000000\r\n\r\nFrom a`);
      });
    },
  },
  {
    id: 'large-reads',
    title: 'reads of a conversation of 24 MiB',
    ms: 0,
    async prepare(field) {
      const { attacker } = field;
      const box = await attacker.mailbox();
      const key = await attacker.keyFor(box);
      const messageId = newMessageId();
      const { id } = await attacker.receive(key, box, { messageId });
      const text = 'a long letter of many words. '.repeat(35_000);
      for (let i = 0; i < 24; i++)
        await field.mail(box, `In-Reply-To: ${messageId}\nSubject: ${i}\n`, text);
      const url = `${field.product.baseUrl}/v1/conversations/${id}?${query({ mailbox: box })}`;
      // Not held against the contract, which costs more than the answer.
      return again(() => times(24, () => send(url, { headers: { 'X-Api-Key': key.key } })));
    },
  },
];
