import { randomUUID } from 'node:crypto';
import { Receiver, ScriptedImap } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import type { Works } from './hostile/bystander.js';
import { send } from './http.js';
import type { PublicApi } from './public-api.js';
import { aMessage, senderFor, sendMessage } from './sending.js';
import { SmtpDialogue } from './smtp-dialogue.js';
import { conversationOf, mailboxOf, pageOf } from './wire.js';
import type { Workplace } from './workplace.js';

const mebi = 1024 * 1024;
export const month = 30 * 86_400_000;

/** The first calendar of a workspace's administrator. */
export async function calendarOf({ settings }: Workplace): Promise<string> {
  const { text } = await settings.get('/v1/calendars');
  return /"(cal_[^"]+)"/.exec(text)?.[1] ?? '';
}

/** Makes a calendar's feed. @returns its secret address */
export async function feedOf(place: Workplace): Promise<string> {
  const made = await place.settings.post(`/calendars/${await calendarOf(place)}/feed`, {});
  return (JSON.parse(made.text) as { url: string }).url;
}

/** The demo's key that may most. */
export const adminKey = (place: Workplace): PublicApi => place.with(place.tenant.keys.admin);

/** A received message, as a look at its image and its bytes names it. */
async function received(place: Workplace, mail: object): Promise<{ id: string; mailbox: string }> {
  const mailbox = await place.mailbox();
  const key = await place.keyFor(mailbox);
  const { id } = await place.receive(key, mailbox, mail);
  const conversation = conversationOf(await key.get(`/v1/conversations/${id}`, { mailbox }));
  return { id: conversation.messages[0]?.id ?? '', mailbox };
}

/** A message whose image a server has. */
export async function pictured(
  place: Workplace,
  over: AbortSignal,
  answer: Receiver['answer'],
): Promise<string> {
  const server = await Receiver.start();
  over.addEventListener('abort', () => void server.close(), { once: true });
  server.answer = answer;
  const { id, mailbox } = await received(place, { html: `<img src="${server.url()}">` });
  return `/v1/messages/${id}/remote-image?mailbox=${mailbox}&n=0`;
}

/** The place after the last event of the feed. */
export async function feedEnd(key: PublicApi): Promise<string> {
  let after = '';
  for (let found = 1; found > 0;) {
    const { text } = await key.get('/v1/events', { limit: 500, ...(after && { after }) });
    const page = JSON.parse(text) as { events: unknown[]; nextAfter: string | null };
    [found, after] = [page.events.length, page.nextAfter ?? after];
  }
  return after;
}

type Work = Works[string];

const largeSend =
  (given: object) =>
  async (place: Workplace): Promise<Work> => {
    const box = await place.mailbox();
    const key = await senderFor(place, box);
    return () => sendMessage(key, aMessage(box, given));
  };

const contentBase64 = Buffer.alloc(1.2 * mebi, 'x').toString('base64');
const sendWithFile = largeSend({ attachments: [{ filename: 'a.bin', contentBase64 }] });
/** A text stays in the request, where the bytes of a file are uploaded before it. */
const sendOfText = largeSend({ body: `<p>${'x'.repeat(300_000)}</p>` });

export const newMailbox = async ({ settings, tenant }: Workplace) =>
  mailboxOf(
    await settings.post('/mailboxes', {
      address: `limit-${randomUUID()}@${tenant.name}.test`,
      name: 'Limits',
    }),
  );

/** An account at a server of this machine, but for its port. */
export const anAccount = { host: '127.0.0.1', secure: false, user: 'a', password: 'secret' };

/** Makes a mailbox that is read from a server. @returns its address, and what ends that */
export async function readFrom(
  place: Workplace,
  { port }: ScriptedImap,
): Promise<{ readonly address: string; readonly end: () => Promise<unknown> }> {
  const { settings } = place;
  const { id, address } = await newMailbox(place);
  const path = `/mailboxes/${id}/account`;
  // An account is read by one mailbox.
  mailboxOf(await settings.put(path, { imap: { ...anAccount, port, user: address } }));
  return { address, end: () => settings.delete(path) };
}

export const letterOf = (subject: string): string =>
  `From: a@x.test\r\nMessage-ID: <${randomUUID()}@x.test>\r\nSubject: ${subject}\r\n\r\nhello\r\n`;

/** A mailbox is connected to an account: what is there is read, and then what comes. */
const readElsewhere = async (place: Workplace): Promise<Work> =>
  Promise.resolve(async () => {
    const server = await ScriptedImap.listen();
    server.deliver(letterOf('history'));
    const { address, end } = await readFrom(place, server);
    const has = (wanted: string) =>
      until(async () => {
        const listed = await place.settings.get(`/v1/conversations?mailbox=${address}`);
        return pageOf(listed).conversations.some(({ subject }) => subject === wanted);
      });
    try {
      await has('history');
      server.deliver(letterOf('news'));
      await has('news');
    } finally {
      await end();
      await server.close();
    }
  });

const eventsOfMonth = async (place: Workplace): Promise<Work> => {
  const key = adminKey(place);
  const from = Date.now();
  return Promise.resolve(() => key.get('/v1/calendar-events', { from, to: from + month }));
};

const eventImport = async (place: Workplace): Promise<Work> => {
  const path = `/calendars/${await calendarOf(place)}/import`;
  const event =
    'BEGIN:VEVENT\r\nUID:one\r\nDTSTART:20300101T100000Z\r\nSUMMARY:One\r\nEND:VEVENT\r\n';
  const body = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${event}END:VCALENDAR\r\n`;
  return () => place.settings.request('POST', path, body, { 'Content-Type': 'text/calendar' });
};

/** A rule that the neighbour's own mail does not match; the UUIDs in its subjects are card numbers at times. */
export const ruleWithoutFinds = {
  ...{ name: 'Secrets', detector: 'pattern', pattern: 'top secret', action: 'warn' },
  mailboxes: [],
  enabled: true,
};

/** The work that each limit bounds, where a workspace does not do it in any case: lists, writes, sends, mail, sign-ins. */
export const works: Readonly<
  Record<string, (place: Workplace, over: AbortSignal) => Promise<Work>>
> = {
  'access.strangersPasswords': async ({ product, tenant: { admin } }) => {
    let site = 16;
    return Promise.resolve(() =>
      send(`${product.settingsUrl}/session`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `2001:db8:${(site++).toString(16)}::1`,
        },
        body: JSON.stringify(admin),
      }),
    );
  },
  'bus.largeRequests': sendOfText,
  'gateway.auditChecks': async ({ settings }) =>
    Promise.resolve(() => settings.get('/audit/verify')),
  'gateway.entryImports': eventImport,
  'gateway.feedLookups': async (place) => {
    const url = await feedOf(place);
    return () => send(url);
  },
  'gateway.fileUploads': async (place) => {
    const path = `/v1/attachments?mailbox=${await place.mailbox()}&filename=a.txt`;
    return () => place.settings.request('POST', path, 'a', { 'Content-Type': 'text/plain' });
  },
  'gateway.mailImports': async (place) => {
    const path = `/mailboxes/${(await newMailbox(place)).id}/import`;
    const mbox = 'From a@x.test Fri Jul  8 12:08:34 2011\nSubject: One\n\nhello\n';
    return () => place.settings.request('POST', path, mbox, { 'Content-Type': 'application/mbox' });
  },
  'gateway.oidcRequests': async ({ product }) => {
    const url = `${product.settingsUrl}/oidc/callback?state=none`;
    return Promise.resolve(async () => {
      const { status } = await send(url);
      // It was not begun.
      return { status: status === 400 ? 200 : status };
    });
  },
  'gateway.pieces': eventImport,
  'gateway.streams': async ({ product, settings: { cookie } }) =>
    Promise.resolve(async () => {
      const over = new AbortController();
      const { signal } = over;
      const { status } = await fetch(`${product.settingsUrl}/stream`, {
        headers: { cookie },
        signal,
      });
      over.abort();
      return { status };
    }),
  'mail.accountTests': async (place) => {
    const { id } = await newMailbox(place);
    // Nobody listens there, which the answer says.
    return () => place.settings.post(`/mailboxes/${id}/test`, { imap: { ...anAccount, port: 9 } });
  },
  'mail.composing': sendWithFile,
  'mail.judgements': async ({ settings }) => {
    await settings.post('/dlp-rules', ruleWithoutFinds);
    const text = 'hello '.repeat(2_000);
    return () => settings.post('/dlp-rules/try', { text });
  },
  'mail.largeConversations': async (place) => {
    const mailbox = await place.mailbox();
    const key = await place.keyFor(mailbox);
    const text = 'a long letter of many words. '.repeat(35_000);
    const { id } = await place.receive(key, mailbox, { text });
    return () => key.get(`/v1/conversations/${id}`, { mailbox });
  },
  'mail.largeFiles': async (place) => {
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(3 * mebi, 'x') }];
    const { id, mailbox } = await received(place, { attachments });
    return () => place.settings.get(`/v1/messages/${id}/raw?mailbox=${mailbox}`);
  },
  'mail.mailboxArrivals': readElsewhere,
  'mail.mailboxBytes': readElsewhere,
  'mail.mailboxHistories': readElsewhere,
  'mail.mailboxesRead': readElsewhere,
  'mail.remoteImages': async (place, over) => {
    const image = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    const path = await pictured(place, over, (_received, response) => void response.end(image));
    return () => place.settings.get(path);
  },
  'mail.sendBytes': sendWithFile,
  'mail.smtpConnections': async ({ product }) =>
    Promise.resolve(async () => {
      const dialogue = await SmtpDialogue.open(product);
      await dialogue.say('EHLO correspondent.example').finally(() => dialogue.close());
    }),
  'operations.handlers': async ({ settings }) =>
    Promise.resolve(() => settings.get('/v1/calendars')),
  'scheduling.expansions': eventsOfMonth,
  'scheduling.windows': eventsOfMonth,
  'webhooks.feedWaits': async (place) => {
    const key = adminKey(place);
    const after = await feedEnd(key);
    return () => key.get('/v1/events', { after, wait: 1 });
  },
};
