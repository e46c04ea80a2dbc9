import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@postroom/testing/until';
import type { Answer } from '../http.js';
import { McpClient } from '../mcp-client.js';
import type { Product } from '../product.js';
import { aMessage } from '../sending.js';
import { SmtpDialogue } from '../smtp-dialogue.js';
import { pageOf, recordOf } from '../wire.js';
import type { OwnKey, Workplace } from '../workplace.js';

const writes = ['comment', 'contact', 'task', 'send', 'mail'] as const;
export type WriteKind = (typeof writes)[number];

/** Twenty requests; of each service there is one at least. Sends go out by SMTP, mail comes in by it. */
const round = [
  ...['list', 'comment', 'read', 'mail', 'search', 'contact', 'list', 'send', 'tasks', 'mcp'],
  ...['list', 'comment', 'feed', 'mail', 'read', 'task', 'contacts', 'send', 'search', 'mcp'],
] as const;
type Kind = (typeof round)[number];

const conversationCount = 40;
const tickMs = 10;

/** A request, or a message by SMTP, and how it ended. Times are epoch milliseconds. */
export interface TrafficOutcome {
  readonly kind: Kind;
  readonly sentMs: number;
  readonly endedMs: number;
  /** A text that what it wrote is found by, and that nothing else has. */
  readonly marker: string;
  /** Null when it was answered as it should be. */
  readonly fault: string | null;
}

/** One that wrote something. */
export interface Write extends TrafficOutcome {
  readonly kind: WriteKind;
}

export const isWrite = (asked: TrafficOutcome): asked is Write =>
  writes.some((kind) => kind === asked.kind);

/** A mailbox, a book and a key to work with. */
export interface Work {
  readonly product: Product;
  readonly mailbox: string;
  readonly bookId: string;
  readonly api: OwnKey;
  readonly conversations: readonly string[];
}

/** Makes them, and conversations to comment on. */
export async function openWork(place: Workplace): Promise<Work> {
  const { product, settings } = place;
  await settings.put('/send-switch', { open: true });
  const mailbox = await place.mailbox();
  const { book } = recordOf(await settings.post('/address-books', { name: 'Clients' }));
  const resources = ['conversations', 'contacts', 'tasks'];
  const scopes = resources.flatMap((what) => [`read:${what}`, `write:${what}`]);
  const api = await place.keyFor(mailbox, {
    scopes: [...scopes, 'mail:send'],
    member: place.tenant.admin.email,
  });
  for (let n = 0; n < conversationCount; n += 1) await deliver(product, mailbox, `Question ${n}`);
  let conversations: readonly string[] = [];
  await until(async () => {
    const page = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    conversations = page.conversations.map(({ id }) => id);
    return conversations.length === conversationCount;
  });
  return { product, mailbox, bookId: (book as { id: string }).id, api, conversations };
}

/** As a mail server that relays: a connection for the message. */
export async function deliver(
  { smtp }: Pick<Product, 'smtp'>,
  mailbox: string,
  subject: string,
): Promise<void> {
  const from = 'camille@correspondent.example';
  const dialogue = await SmtpDialogue.open({ smtp });
  try {
    await dialogue.say('EHLO correspondent.example');
    const head = [`From: ${from}`, `To: ${mailbox}`, `Subject: ${subject}`];
    const id = `Message-ID: <${randomUUID()}@correspondent.example>`;
    const raw = [...head, id, '', 'Hello, where is my order?', ''].join('\r\n');
    await dialogue.send(from, [mailbox], Buffer.from(raw));
  } finally {
    dialogue.close();
  }
}

type Action = (work: Work, marker: string) => Promise<Answer | void>;

const someOf = (all: readonly string[]): string =>
  all[Math.floor(Math.random() * all.length)] ?? '';

const actions: Readonly<Record<Kind, Action>> = {
  comment: ({ api, mailbox, conversations }, text) =>
    api.post(`/v1/conversations/${someOf(conversations)}/comment`, { mailbox, text }, text),
  contact: ({ api, bookId }, displayName) =>
    api.post('/v1/contacts', { bookId, displayName }, displayName),
  task: ({ api }, title) => api.post('/v1/tasks', { title }, title),
  send: ({ api, mailbox }, subject) =>
    api.post('/v1/send', aMessage(mailbox, { subject }), subject),
  mail: ({ product, mailbox }, subject) => deliver(product, mailbox, subject),
  list: ({ api, mailbox }) => api.get('/v1/conversations', { mailbox, limit: 5 }),
  read: ({ api, mailbox, conversations }) =>
    api.get(`/v1/conversations/${someOf(conversations)}`, { mailbox }),
  search: ({ api, mailbox }) => api.get('/v1/search', { mailbox, q: 'where order' }),
  contacts: ({ api, bookId }) => api.get('/v1/contacts', { bookId, q: 'nobody' }),
  tasks: ({ api }) => api.get('/v1/tasks', { limit: 5 }),
  feed: ({ api }) => api.get('/v1/events', { limit: 5 }),
  mcp: async ({ product, api, mailbox }) => {
    const client = new McpClient(product, api.key);
    const { isError, content } = await client.call('svc_search', { query: 'order', mailbox });
    if (isError) throw new Error(content[0]?.text);
  },
};

/** Requests at a fixed rate, whatever becomes of them; none is repeated. */
export class Traffic {
  private readonly ended: TrafficOutcome[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly work: Work,
    perSecond: number,
    private readonly kinds: readonly Kind[] = round,
  ) {
    this.running = this.sendRequests(perSecond);
  }

  /** Sends no more requests, and awaits those that were sent. */
  async stop(): Promise<readonly TrafficOutcome[]> {
    this.stopping.abort();
    await this.running;
    await Promise.all(this.underWay);
    return this.ended;
  }

  private async sendRequests(perSecond: number): Promise<void> {
    const beganMs = performance.now();
    for (let sent = 0; !this.stopping.signal.aborted; await sleep(tickMs)) {
      const due = ((performance.now() - beganMs) * perSecond) / 1000;
      for (; sent < due; sent += 1) {
        const kind = this.kinds[sent % this.kinds.length] ?? 'list';
        const one = this.ask(kind).finally(() => this.underWay.delete(one));
        this.underWay.add(one);
      }
    }
  }

  private async ask(kind: Kind): Promise<void> {
    const marker = randomUUID();
    const sentMs = Date.now();
    const fault = await actions[kind](this.work, marker).then(
      (answer) => (answer && answer.status >= 300 ? `${answer.status} ${answer.text}` : null),
      (error: unknown) => String(error),
    );
    this.ended.push({ kind, sentMs, endedMs: Date.now(), marker, fault });
  }
}

/** Without those of a service, which is not there. */
export const roundWithout = (...left: readonly Kind[]): readonly Kind[] =>
  round.filter((kind) => !left.includes(kind));

/** The outcomes of requests, for people. */
export function tallyOf(asked: readonly TrafficOutcome[]): object {
  const waits = asked.map(({ sentMs, endedMs }) => endedMs - sentMs).toSorted((a, b) => a - b);
  return {
    asked: asked.length,
    ...Object.fromEntries(
      writes.map((kind) => [kind, asked.filter((one) => one.kind === kind).length]),
    ),
    failed: asked.filter(({ fault }) => fault !== null).length,
    medianMs: waits[Math.floor(waits.length / 2)],
    slowestMs: waits.at(-1),
  };
}
