// tags: own
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pythonWith, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { deliver } from './mail.js';
import {
  OutsideMail,
  type OutsideServer,
  type ReadBack,
  type ReadMessage,
} from './outside-mail.js';
import { startProduct } from './product-process.js';
import type { RunningProduct } from './product.js';
import { aMessage, newKey, type Receipt, receiptOf, sendMessage, senderFor } from './sending.js';
import { conversationOf, type Mailbox, mailboxOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const python = pythonWith(['aiosmtpd==1.4.6', 'dkimpy==1.1.8', 'trustme==1.2.1']);

/** An address of this machine that is not recognised as a loopback address where TLS is decided. */
const elsewhere = '::ffff:127.0.0.1';
const user = 'postroom';
const password = 's3cret §';

interface Person {
  readonly email: string;
  readonly name?: string;
}

interface File {
  readonly filename: string;
  readonly contentBase64: string;
  readonly mimeType?: string;
}

/** The compared parts of a message; the rest is generated. */
interface Given {
  readonly subject?: string;
  readonly body?: string;
  readonly to?: readonly Person[];
  readonly cc?: readonly Person[];
  readonly bcc?: readonly Person[];
  readonly attachments?: readonly File[];
  readonly priority?: string;
}

const camille = { email: 'camille@correspondent.example', name: 'Camille Martin' };
const named = (name: string): Person => ({ email: 'someone@correspondent.example', name });
const people = (count: number, name: string): Person[] =>
  Array.from({ length: count }, (_, i) => ({
    email: `${name}.${i}@correspondent.example`,
    name: `Destinataire nº ${i}`,
  }));
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
const file = (filename: string, content: Buffer | string = everyByte, mimeType?: string): File => ({
  filename,
  contentBase64: Buffer.from(content).toString('base64'),
  ...(mimeType !== undefined && { mimeType }),
});

/** Each is sent once, all are read back at once. */
const variety: Readonly<Record<string, Given>> = {
  'plain ASCII': { subject: 'Hello', body: 'Hello\nYou\n' },
  'accents in every field': {
    subject: 'Où est ma commande ? Déjà vu à Noël',
    body: 'Été à la plage\nNoël\n',
    to: [named('Zoé Æther'), named('山田 太郎, "T."'), named("O'Brien, Pat (sales) <x@y> \\ z")],
  },
  'emoji that are several code points each': {
    subject: '👩‍👩‍👧‍👦 family 🎉 '.repeat(20) + 'end',
    body: '👩‍👩‍👧‍👦'.repeat(400) + '\n',
    to: [named('Équipe 😀 du support, SARL (Paris)')],
  },
  'domains in other scripts': {
    to: [
      { email: 'hans@münchen.example', name: 'Müller' },
      { email: 'a@例え.テスト', name: '名前' },
    ],
  },
  'a subject of many words': { subject: 'word '.repeat(190) + 'end' },
  'a subject of one long word': { subject: 'x'.repeat(998) },
  'a subject of one long word with accents': { subject: 'é'.repeat(998) },
  'a subject with blanks in a row': { subject: 'two  blanks   three, é  è  ê' },
  'a subject that looks encoded': { subject: '=?utf-8?Q?not_a_word?= really =?x?=' },
  'long names': {
    to: [
      named('A very long name '.repeat(30) + 'end'),
      named('é'.repeat(600)),
      named('x'.repeat(600)),
    ],
  },
  '400 recipients in sight and 100 hidden': {
    to: people(200, 'to'),
    cc: people(200, 'cc'),
    bcc: people(100, 'bcc'),
  },
  'lines that begin with dots': { body: '.one\n..two\n.\n...\nFrom me\n>From you\n.\n' },
  'lines of over 998 characters': { body: `${'x'.repeat(3000)}\n${'word '.repeat(700)}end\nend\n` },
  'line ends of every kind': { body: 'a\r\nb\nc\rd\r\n\r\n\n\ne\r\n' },
  'blanks at line ends': { body: 'space \ntab\t\n  first\n\n\n' },
  'control characters': { body: 'bell \u0007, escape \u001b, \u2028 and \u0085\n' },
  'no text at all': { body: '', attachments: [file('alone.bin')] },
  HTML: {
    body: `<h1>Été</h1>\r\n<p>Line\r\ntwo</p>\n<pre>.dot\n.\n</pre>${'<i>long</i>'.repeat(600)}\n`,
  },
  'HTML in ASCII, with a file': { body: '<p>Hello</p>\n', attachments: [file('a.bin')] },
  'files with names of every kind': {
    attachments: [
      file('été 2026.pdf'),
      file('emoji 😀.bin'),
      file('名前.txt', 'héllo\r\nyou\n', 'text/plain'),
      file(`quote" back's;semi,comma=%41*.bin`),
      file('=?utf-8?Q?a?=.bin'),
      file(`${'x'.repeat(250)}.bin`),
      file(`${'é'.repeat(250)}.bin`),
      file('no extension'),
      file('empty.txt', ''),
    ],
  },
  'files of text, byte for byte': {
    attachments: [
      file('dots.txt', '.\n..\r\nFrom me\n.', 'text/plain'),
      file('mixed.csv', 'a;b\r\nc;d\ne\rf', 'text/csv'),
      file('latin.html', Buffer.from('<p>\xe9</p>', 'latin1'), 'text/html'),
      file('day.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', 'text/calendar'),
      file('zero.txt', 'a\0b', 'text/plain'),
    ],
  },
  'messages as files': {
    attachments: [
      file('good.eml', 'Subject: x\r\n\r\nbody\r\n', 'message/rfc822'),
      file('line-feeds.eml', 'Subject: x\n\nbody\nlast', 'message/rfc822'),
      file('long-line.eml', `Subject: x\r\n\r\n${'y'.repeat(3000)}\r\n`, 'message/rfc822'),
      file('eight-bit.eml', 'Subject: é\r\n\r\nbody\r\n', 'message/rfc822'),
      file('part.eml', 'Subject: x\r\n\r\nbody\r\n', 'message/partial'),
    ],
  },
  'fifty files': { attachments: Array.from({ length: 50 }, (_, i) => file(`f${i}.bin`)) },
  'high priority': { priority: 'high' },
  'low priority': { priority: 'low' },
};

const lines = (text: string | null): string =>
  `${(text ?? '').replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')}\n`;

/** The form in a header, with the domain in A-labels. */
const onTheWire = ({ email, name = '' }: Person): [string, string] => {
  const at = email.lastIndexOf('@');
  return [name, `${email.slice(0, at + 1)}${new URL(`http://${email.slice(at + 1)}`).hostname}`];
};

function expectContent(read: ReadMessage, given: Given): void {
  const { attachments = [], body = aMessage('').body } = given;
  const isHtml = body.includes('<p>');
  expect(lines(isHtml ? read.html : read.text)).toBe(lines(body));
  expect(read.html === null).toBe(!isHtml);
  expect(read.attachments.map(({ filename, base64 }) => [filename, base64])).toEqual(
    attachments.map(({ filename, contentBase64 }) => [filename, contentBase64]),
  );
}

whereThere(python, describe)(
  'what an outside mail server is handed, and an outside reader reads',
  () => {
    let outside: OutsideMail;
    let running: RunningProduct;
    let place: Workplace;
    let mailbox: string;
    let api: OwnKey;

    const changed = async (address: string, change: object): Promise<Mailbox> => {
      const { text } = await place.settings.get('/mailboxes');
      const { items } = JSON.parse(text) as { items: readonly Mailbox[] };
      const id = items.find((one) => one.address === address)?.id ?? '';
      return mailboxOf(await place.settings.patch(`/mailboxes/${id}`, change));
    };

    beforeAll(async () => {
      outside = await OutsideMail.start(python);
      running = await startProduct({
        OUTGOING_SMTP_URL: `smtp://127.0.0.1:${outside.ports.plain}`,
        NODE_EXTRA_CA_CERTS: outside.authorityFile,
      });
      place = await Workplace.open('acme', running.product);
      mailbox = await place.mailbox();
      await changed(mailbox, { name: 'Équipe “Support”, Montréal' });
      api = await senderFor(place, mailbox);
    });

    afterAll(async () => {
      await running.remove();
      await outside.stop();
    });

    const withId = ({ messages }: ReadBack, id: string): ReadMessage => {
      const found = messages.filter(({ headers }) => headers['message-id'] === `<${id}>`);
      expect(found).toHaveLength(1);
      return found[0] as ReadMessage;
    };

    const sentAndRead = async (key: OwnKey, given: object, names = {}): Promise<ReadMessage> => {
      const { providerMessageId } = receiptOf(await sendMessage(key, given));
      return withId(await outside.read(names), providerMessageId);
    };

    describe('is the same', () => {
      const receipts = new Map<string, Receipt>();
      let back: ReadBack;
      let begunMs: number;

      beforeAll(async () => {
        begunMs = Date.now();
        for (const [name, given] of Object.entries(variety)) {
          const message = aMessage(mailbox, { to: [camille], subject: name, ...given });
          receipts.set(name, receiptOf(await sendMessage(api, message)));
        }
        back = await outside.read();
      });

      it.each(Object.entries(variety))('with %s', (name, given) => {
        const { providerMessageId, accepted } = receipts.get(name) as Receipt;
        const read = withId(back, providerMessageId);
        const { to = [camille], cc = [], bcc = [] } = given;
        expect(read.headers['subject']).toBe(given.subject ?? name);
        expect(read.from).toEqual([['Équipe “Support”, Montréal', mailbox]]);
        expect([read.to, read.cc]).toEqual([to.map(onTheWire), cc.map(onTheWire)]);
        const everybody = new Set([...to, ...cc, ...bcc].map((one) => onTheWire(one)[1]));
        expect(new Set(read.envelope.to)).toEqual(everybody);
        expect(read.envelope.from).toBe(mailbox);
        expect(accepted).toHaveLength(everybody.size);
        expectContent(read, given);
        expect(read.date).toBeGreaterThanOrEqual(begunMs - 1000);
        expect(read.date).toBeLessThanOrEqual(Date.now());
      });

      it('in a form that every relay passes on', () => {
        const { messages } = back;
        expect(messages).toHaveLength(Object.keys(variety).length);
        for (const { headers, form, names, defects, envelope } of messages) {
          const { longest, longestOfHead, unfolded, ...others } = form;
          const subject = headers['subject'] ?? '';
          expect({ subject, ...others }).toEqual({
            ...{ subject, isAscii: true, bareLineEnds: 0, emptyFolds: 0 },
          });
          expect(Math.max(longest, longestOfHead)).toBeLessThanOrEqual(998);
          expect({ subject, unfolded }).toEqual({ subject, unfolded: [] });
          expect(names).not.toContain('bcc');
          expect(JSON.stringify(headers)).not.toMatch(/bcc\.\d/);
          expect(new Set(names).size).toBe(names.length);
          // A file name also has a form for readers without RFC 2231, which Python calls a defect.
          expect(
            defects.filter((defect) => !/inside quoted string|after encoded-word/.test(defect)),
          ).toEqual([]);
          expect(envelope.utf8).toBe(false);
        }
      });

      it('in its priority', () => {
        const importance = (name: string) =>
          withId(back, receipts.get(name)?.providerMessageId ?? '').headers['importance'];
        expect(importance('high priority')).toBe('High');
        expect(importance('low priority')).toBe('Low');
        expect(importance('plain ASCII')).toBeUndefined();
      });
    });

    describe('goes to addresses beyond ASCII', () => {
      const to = [{ email: 'zoé@correspondent.example', name: 'Zoé' }, camille];

      it('where the server takes them', async () => {
        const read = await sentAndRead(api, aMessage(mailbox, { to }));
        expect(read.to).toEqual(to.map(onTheWire));
        expect(read.envelope).toMatchObject({ utf8: true, to: to.map(({ email }) => email) });
      });

      it('and nowhere where it does not, since they stand in the header too', async () => {
        const address = await place.mailbox();
        const port = outside.ports.ascii;
        await changed(address, {
          outgoing: { host: '127.0.0.1', port, secure: false, user: null },
        });
        const key = await senderFor(place, address);
        const [before, answer] = [
          await outside.read(),
          await sendMessage(key, aMessage(address, { to })),
        ];
        expect(answer.status).toBe(400);
        expect((await outside.read()).messages).toHaveLength(before.messages.length);
        const { envelope } = await sentAndRead(key, aMessage(address));
        expect(envelope).toMatchObject({ server: 'ascii', utf8: false });
      });
    });

    describe('is a reply', () => {
      it('that names what it answers, and is joined by the answer from outside', async () => {
        const { id } = await place.receive(api, mailbox);
        const shown = async () =>
          conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));
        const [first] = (await shown()).messages;
        const path = `/v1/conversations/${id}/send`;
        const one = receiptOf(await api.post(path, aMessage(mailbox), newKey()));
        const two = receiptOf(await api.post(path, aMessage(mailbox), newKey()));
        const back = await outside.read();
        const [sent, again] = [one, two].map(
          (given) => withId(back, given.providerMessageId).headers,
        );
        const answered = `<${String(first?.messageId)}>`;
        expect(sent).toMatchObject({ 'in-reply-to': answered, references: answered });
        expect(again?.['references']?.split(/\s+/)).toEqual([answered, sent?.['message-id']]);
        await deliver(running.product, {
          to: mailbox,
          subject: 'Something else altogether',
          inReplyTo: sent?.['message-id'],
        });
        await until(async () => (await shown()).messageCount === 4);
        expect((await shown()).messages.at(-1)).toMatchObject({
          direction: 'inbound',
          subject: 'Something else altogether',
        });
      });
    });

    describe('goes over TLS, with a password', () => {
      /** A mailbox whose own server is one of the outside ones. */
      const senderBy = async (server: OutsideServer, change: object = {}) => {
        const address = await place.mailbox();
        const port = outside.ports[server];
        const secure = server === 'smtps';
        await changed(address, {
          outgoing: { host: elsewhere, port, secure, user, password, ...change },
        });
        return { address, key: await senderFor(place, address) };
      };

      it.each(['starttls', 'smtps'] as const)('by %s', async (server) => {
        const { address, key } = await senderBy(server);
        const { envelope } = await sentAndRead(key, aMessage(address));
        // The SMTP server does not see implicit TLS, which ends below it.
        expect(envelope).toMatchObject({ server, user, tls: server === 'starttls' });
      });

      it('on this machine with a certificate that nobody vouches for', async () => {
        const { address, key } = await senderBy('strange', { host: '127.0.0.1' });
        const { envelope } = await sentAndRead(key, aMessage(address));
        expect(envelope).toMatchObject({ server: 'strange', user, tls: true });
      });

      it.each([
        ['a certificate that nobody vouches for', 'strange', {}],
        ['no TLS at all', 'bare', {}],
        ['another password', 'starttls', { password: 'wrong' }],
      ] as const)('and to no server with %s', async (_what, server, change) => {
        const { address, key } = await senderBy(server, change);
        const before = await outside.read();
        const answer = await sendMessage(key, aMessage(address));
        expect(answer.status).toBe(503);
        expect(answer.text).not.toMatch(/outcomeUnknown":true/);
        const after = await outside.read();
        expect(after.messages).toHaveLength(before.messages.length);
        const told = after.passwords.slice(before.passwords.length);
        expect(told.map((one) => one.password)).toEqual(
          'password' in change ? [change.password] : [],
        );
      });
    });

    describe('is signed', () => {
      const pem = { type: 'pkcs8', format: 'pem' } as const;

      it('with DKIM, so that the domain vouches for it', async () => {
        const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const address = await place.mailbox();
        const privateKey = keys.privateKey.export(pem).toString();
        await changed(address, { dkim: { selector: 'mail', privateKey } });
        const record = (key = keys.publicKey): Record<string, string> => ({
          [`mail._domainkey.${address.split('@')[1] ?? ''}`]: `v=DKIM1; k=rsa; p=${key
            .export({ type: 'spki', format: 'der' })
            .toString('base64')}`,
        });
        const key = await senderFor(place, address);
        const given = aMessage(address, {
          to: people(50, 'signed'),
          subject: `${'Où est-ce ? '.repeat(20)}end`,
          body: '.dot\n\n line \t \n\n\n\n',
          attachments: [file('été.bin')],
        });
        const { headers, dkim } = await sentAndRead(key, given, record());
        expect(dkim).toBe(true);
        expect(headers['dkim-signature']).toMatch(/d=acme\.test/);
        const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
        const { messages } = await outside.read(record(other));
        expect(messages.at(-1)?.dkim).toBe(false);
      });
    });
  },
);
