import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { always, ScriptedImap, ScriptedSmtp } from '@postroom/testing';
import { attacks, slowText, type Battlefield } from './hostile/attacks.js';
import { send } from './http.js';
import { deliverRaw } from './mail.js';
import {
  adminKey,
  anAccount,
  calendarOf,
  feedEnd,
  feedOf,
  letterOf,
  month,
  newMailbox,
  pictured,
  readFrom,
} from './limited-work.js';
import type { PublicApi } from './public-api.js';
import { aMessage, mailboxBehind, newKey, senderFor, sendMessage } from './sending.js';
import { SettingsApi } from './settings-api.js';

/** The work of filling a limit, which goes on until the signal. */
type Filling = Promise<unknown>;

/** `MAILBOXES_PER_PROCESS` of the product: few are enough. */
export const mailboxesPerProcess = 8;

/** Fills a limit from the attacker's workspace, or from its network. */
export type Fill = (field: Battlefield, over: AbortSignal) => Promise<{ readonly ended: Filling }>;

const mebi = 1024 * 1024;
/** Another site than the one that everybody else comes from. */
const elsewhere = '127.1.0.1';

/** So many at a time do something again and again, whatever becomes of it. */
const flood =
  (width: number, once: (i: number) => Promise<unknown>) =>
  (over: AbortSignal): { readonly ended: Filling } => ({
    ended: Promise.all(
      Array.from({ length: width }, async (_, i) => {
        while (!over.aborted) await once(i).catch(() => undefined);
      }),
    ),
  });

/** Held by connections that the field closes. */
const holding = { ended: Promise.resolve() };

const attackOf =
  (id: string, ms = 2_000): Fill =>
  async (field, over) => {
    const attack = attacks.find((one) => one.id === id);
    const attacking = await attack?.prepare(field);
    const ended = (async () => {
      while (!over.aborted) await attacking?.(ms);
    })();
    return { ended };
  };

/** A request on a connection of its own: those of the suite's agent are few, and the other workspace's too. */
function ask(
  field: Battlefield,
  line: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): void {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = Object.entries({ Host: 'x', ...length, ...headers });
  field.raw(
    `${line} HTTP/1.1\r\n${all.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n${body ?? ''}`,
  );
}

/** Fills two processes too: each process of a cluster has its own limits. */
const repeat = (count: number, act: () => void): void => {
  for (let i = 0; i < count; i++) act();
};

const json = { 'Content-Type': 'application/json' };

/** Sends to a server that answers nothing, so many at a time. */
const sends =
  (count: number, given: object = {}): Fill =>
  async (field, over) => {
    const tarpit = await ScriptedSmtp.listen(always('mail', 'silence'));
    const box = await mailboxBehind(field.attacker, tarpit);
    const { key } = await senderFor(field.attacker, box);
    const body = JSON.stringify(aMessage(box, given));
    repeat(count, () =>
      ask(
        field,
        'POST /public/v1/send',
        { ...json, 'X-Api-Key': key, 'Idempotency-Key': newKey() },
        body,
      ),
    );
    over.addEventListener('abort', () => void tarpit.close(), { once: true });
    return holding;
  };

/** Begins imports of events: the given bytes again and again, or none. */
async function importing(field: Battlefield, count: number, bytes: Buffer | null): Promise<void> {
  const path = `/settings/api/calendars/${await calendarOf(field.attacker)}/import`;
  const { hostname, port } = new URL(field.product.baseUrl);
  const { cookie } = field.attacker.settings;
  for (let i = 0; i < count; i++) {
    const socket = connect({ host: hostname, port: Number(port) });
    field.hold(socket);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Type: text/calendar\r\n` +
        `Content-Length: 4000000000\r\n\r\n`,
    );
    if (bytes === null) continue;
    const write = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', write);
    write();
  }
}

/** Clients of another network at the mail port. */
async function clients(field: Battlefield, count: number, bytes?: Buffer): Promise<void> {
  const { host, port } = field.product.smtp;
  const box = await field.attacker.mailbox();
  for (let i = 0; i < count; i++) {
    const socket = connect({ host, port, localAddress: elsewhere });
    field.hold(socket);
    socket.resume();
    if (!bytes) continue;
    await once(socket, 'data');
    for (const line of ['EHLO x.example', 'MAIL FROM:<a@x.example>', `RCPT TO:<${box}>`, 'DATA']) {
      socket.write(`${line}\r\n`);
      await once(socket, 'data');
    }
    socket.write(bytes);
  }
}

/** An IMAP server that is silent where it is asked for something. */
async function silentServer(silentAt: string): Promise<ScriptedImap> {
  const server = await ScriptedImap.listen();
  server.script = (command, args, lines) =>
    `${command} ${args}`.includes(silentAt) ? 'silence' : lines;
  return server;
}

/** Mailboxes at such a server; more than two processes may read. */
const accounts =
  (silentAt: string, delivers = false, letter = ''): Fill =>
  async ({ attacker }, over) => {
    const server = await silentServer(silentAt);
    const deliver = (): number => server.deliver(letterOf('Kept') + letter);
    if (!delivers) deliver();
    const reading = [];
    for (let i = 0; i < 2 * mailboxesPerProcess; i++)
      reading.push(await readFrom(attacker, server));
    const ended = (async () => {
      while (!over.aborted) {
        if (delivers) deliver();
        await sleep(500);
      }
      await Promise.all(reading.map(({ end }) => end()));
      await server.close();
    })();
    return { ended };
  };

const reader = ({
  attacker,
}: Battlefield): { key: PublicApi; headers: { 'X-Api-Key': string } } => ({
  key: adminKey(attacker),
  headers: { 'X-Api-Key': attacker.tenant.keys.admin },
});

/** Makes a series that takes long to expand. @returns the path of a long window of it */
async function longWindow({ attacker }: Battlefield): Promise<string> {
  const startMs = Date.now();
  await adminKey(attacker).post('/v1/calendar-events', {
    calendarId: await calendarOf(attacker),
    title: 'Daily',
    startMs,
    endMs: startMs + 1_000,
    recurrence: { freq: 'daily' },
  });
  return `/v1/calendar-events?from=1&to=${startMs + 100 * month}`;
}

export const fills: Readonly<Record<string, Fill>> = {
  'access.knownPasswords': async ({ product, attacker }, over) =>
    flood(53, () => SettingsApi.signIn(product, attacker.tenant.admin))(over),
  'access.strangersPasswords': async ({ product }, over) =>
    flood(53, () =>
      send(`${product.settingsUrl}/session`, {
        method: 'POST',
        headers: { ...json, 'X-Forwarded-For': `2001:db8:1:${randomInt(65_536).toString(16)}::1` },
        body: JSON.stringify({ email: `nobody-${randomInt(1e9)}@x.test`, password: 'guess' }),
      }),
    )(over),
  'bus.largeRequests': sends(140, { body: `<p>${'x'.repeat(300_000)}</p>` }),
  'gateway.anonymousBodies': async (field) => {
    repeat(40, () =>
      field.raw(
        `POST /settings/api/session HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.7\r\n` +
          'Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
      ),
    );
    return Promise.resolve(holding);
  },
  'gateway.auditChecks': async ({ attacker }, over) =>
    flood(103, () => attacker.settings.get('/audit/verify'))(over),
  'gateway.entryImports': async (field) => {
    await importing(field, 4, null);
    return holding;
  },
  'gateway.mailImports': async (field) => {
    const { cookie: Cookie } = field.attacker.settings;
    const head =
      `HTTP/1.1\r\nHost: x\r\nCookie: ${Cookie}\r\n` +
      'Content-Type: application/mbox\r\nContent-Length: 1000000\r\n\r\nFrom a';
    // A mailbox has one import at a time, and a workspace two.
    for (let i = 0; i < 10; i++) {
      const { id } = await newMailbox(field.attacker);
      field.raw(`POST /settings/api/mailboxes/${id}/import ${head}`);
    }
    return holding;
  },
  'gateway.fileUploads': async (field) => {
    const box = await field.attacker.mailbox();
    const head =
      `POST /settings/api/v1/attachments?mailbox=${box}&filename=a.bin HTTP/1.1\r\nHost: x\r\n` +
      `Cookie: ${field.attacker.settings.cookie}\r\nContent-Length: 1000000\r\n\r\nx`;
    repeat(40, () => field.raw(head));
    return holding;
  },
  'gateway.oidcRequests': async ({ product }, over) => {
    const url = `${product.baseUrl.replace(/\/public$/, '')}/sign-in?email=a@x.test`;
    const headers = { 'X-Forwarded-For': '198.51.100.7' };
    return Promise.resolve(flood(40, () => send(url, { headers }))(over));
  },
  'gateway.feedLookups': async (field, over) => {
    const url = await feedOf(field.attacker);
    const headers = { 'X-Forwarded-For': '198.51.100.7' };
    return flood(40, () => send(url, { headers }))(over);
  },
  'gateway.pieces': async (field) => {
    await importing(field, 2, Buffer.alloc(256 * 1024, '\n'));
    return holding;
  },
  'gateway.streams': async (field) => {
    const headers = { Cookie: field.attacker.settings.cookie };
    repeat(24, () => ask(field, 'GET /settings/api/stream', headers));
    return Promise.resolve(holding);
  },
  'mail.accountTests': async ({ attacker }, over) => {
    const server = await silentServer('LOGIN');
    const { id } = await newMailbox(attacker);
    const imap = { ...anAccount, port: server.port };
    const { ended } = flood(20, () => attacker.settings.post(`/mailboxes/${id}/test`, { imap }))(
      over,
    );
    over.addEventListener('abort', () => server.drop(), { once: true });
    return { ended: ended.then(() => server.close()) };
  },
  'mail.arrivingBytes': async (field) => {
    await clients(field, 3, Buffer.alloc(45 * mebi, 'x'.repeat(998) + '\r\n'));
    return holding;
  },
  'mail.smtpConnections': async (field) => {
    await clients(field, 100);
    return holding;
  },
  'mail.composing': async ({ attacker }, over) => {
    const box = await attacker.mailbox();
    const key = await senderFor(attacker, box);
    const body = `<p>${'x'.repeat(200_000)}</p>`;
    return flood(8, () => sendMessage(key, aMessage(box, { body })))(over);
  },
  'mail.deliveries': async ({ product, attacker }, over) => {
    const box = await attacker.mailbox();
    return flood(20, () => deliverRaw(product, box, 'Subject: x\n\nx'))(over);
  },
  'mime.parsing': async ({ product, attacker }, over) => {
    const box = await attacker.mailbox();
    const raw = `Subject: x\n\n${'many words of a long letter\n'.repeat(40_000)}`;
    return flood(6, () => deliverRaw(product, box, raw))(over);
  },
  'mail.judgements': async (field, over) => {
    await attacks.find(({ id }) => id === 'rules')?.prepare(field);
    return flood(20, () => field.attacker.settings.post('/dlp-rules/try', { text: slowText }))(
      over,
    );
  },
  'mail.largeConversations': attackOf('large-reads'),
  'mail.largeFiles': attackOf('downloads'),
  'mail.mailboxArrivals': accounts('BODY.PEEK[]', true),
  // The second one waits for the bytes of the first.
  'mail.mailboxBytes': accounts('BODY.PEEK[]', true, `${'x'.repeat(998)}\r\n`.repeat(9_000)),
  'mail.mailboxHistories': accounts('BODY.PEEK[]'),
  'mail.mailboxesRead': accounts('LIST'),
  'mail.remoteImages': async (field, over) => {
    const path = await pictured(field.attacker, over, () => undefined);
    const headers = { Cookie: field.attacker.settings.cookie };
    repeat(40, () => ask(field, `GET /settings/api${path}`, headers));
    return holding;
  },
  'mail.sendBytes': sends(16, {
    attachments: [
      { filename: 'a.bin', contentBase64: Buffer.alloc(9 * mebi, 'x').toString('base64') },
    ],
  }),
  'mail.sends': sends(640),
  // Each holds a handler until its window has been expanded.
  'operations.handlers': async (field) => {
    const { headers } = reader(field);
    const path = await longWindow(field);
    repeat(400, () => ask(field, `GET /public${path}`, headers));
    return holding;
  },
  'persistence.connections': async (field, over) => {
    const { headers } = reader(field);
    const [box = ''] = field.attacker.tenant.mailboxes;
    const url = `${field.product.baseUrl}/v1/conversations?mailbox=${box}`;
    return Promise.resolve(flood(60, () => send(url, { headers }))(over));
  },
  'scheduling.windows': async (field, over) => {
    const { headers } = reader(field);
    const url = `${field.product.baseUrl}/v1/calendar-events`;
    return Promise.resolve(flood(40, () => send(url, { headers }))(over));
  },
  'scheduling.expansions': async (field, over) => {
    const { headers } = reader(field);
    const url = field.product.baseUrl + (await longWindow(field));
    return flood(53, () => send(url, { headers }))(over);
  },
  'webhooks.feedWaits': async (field) => {
    const { key, headers } = reader(field);
    const after = await feedEnd(key);
    const line = `GET /public/v1/events?after=${after}&wait=30`;
    repeat(400, () => ask(field, line, headers));
    return holding;
  },
};
