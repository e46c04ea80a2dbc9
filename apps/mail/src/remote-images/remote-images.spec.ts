import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  remoteImages,
  unknownId,
  type ConversationAnswer,
} from '@postroom/contracts';
import { limitUse } from '@postroom/limits';
import { aMember } from '@postroom/service-testing';
import { Receiver } from '@postroom/testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

const mebi = 1024 * 1024;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
const large = Buffer.concat([png, Buffer.alloc(5 * mebi - png.length)]);

let service: MailService;
let mailbox: MailboxOf;
let server: Receiver;
/** Bytes of the endless body. */
let sent = 0;
/** A server at an address that is not allow-listed. */
const elsewhere = 'http://127.0.0.2:8081/x.png';

const bodies: Readonly<Record<string, Buffer | string>> = {
  '/a.png': png,
  '/b.gif?x=1&y=2': gif,
  '/large.png': large,
  '/svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  '/page': '<!doctype html><title>x</title>',
  '/empty': '',
};
const redirects: Readonly<Record<string, string>> = {
  '/to-image': '/a.png',
  '/to-metadata': 'http://169.254.169.254/latest/meta-data/',
  '/to-loopback': elsewhere,
  '/to-file': 'file:///etc/passwd',
  '/to-itself': '/to-itself',
};

beforeAll(async () => {
  service = await MailService.start({ REMOTE_IMAGE_ALLOWED_CIDRS: '127.0.0.1' });
  mailbox = await service.mailbox();
  server = await Receiver.start();
  server.answer = ({ path }, response) => {
    const [body, location] = [bodies[path], redirects[path]];
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    // Nothing that a server says of its type counts.
    const headers = { 'content-type': 'image/png', 'set-cookie': 'a=b' };
    if (body !== undefined) return void response.writeHead(200, headers).end(body);
    if (path === '/packed') {
      response.writeHead(200, { ...headers, 'content-encoding': 'gzip' });
      return void response.end(gzipSync(Buffer.concat([large, png])));
    }
    if (path !== '/endless') return void response.writeHead(404, headers).end(png);
    const piece = Buffer.concat([png, Buffer.alloc(64 * 1024)]);
    response.writeHead(200, { ...headers, 'content-length': 1024 * mebi });
    const go = (): void => {
      do sent += piece.length;
      while (response.write(piece));
      response.once('drain', go);
    };
    return go();
  };
});
afterAll(async () => {
  await service.close();
  await server.close();
});

/** A message that names images. */
async function received(...addresses: string[]): Promise<string> {
  const html = addresses.map((src) => `<img src="${src.replaceAll('&', '&amp;')}">`).join('');
  const { id } = await service.conversation(mailbox, { html });
  const input = { id, mailbox: mailbox.address };
  const { caller } = mailbox;
  const { body } = await service.call<ConversationAnswer>(conversations.get, input, { caller });
  return body.conversation.messages[0]?.id ?? '';
}

const show = (id: string, n: number, { address, tenantId } = mailbox) =>
  service.call<object>(
    remoteImages.get,
    { id, mailbox: address, n },
    { caller: aMember({ tenantId }) },
  );

describe('a remote image', () => {
  it('is shown as its server gave it, whose cookies and passwords are nobody’s', async () => {
    const withPassword = server.url('/to-image').replace('//', '//ada:secret@');
    const id = await received(server.url('/a.png'), server.url('/b.gif?x=1&y=2'), withPassword);
    const strict = {
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=3600',
      vary: 'Cookie',
    };
    for (const [n, type, bytes] of [
      [0, 'png', png],
      [1, 'gif', gif],
      [2, 'png', png],
    ] as const) {
      const answer = await show(id, n);
      expect([answer.status, answer.bytes]).toEqual([200, bytes]);
      expect(answer.headers).toMatchObject({ ...strict, 'content-type': `image/${type}` });
    }
    for (const { headers } of server.received) {
      for (const name of ['cookie', 'authorization', 'referer', 'origin'])
        expect(headers).not.toHaveProperty(name);
      expect(headers['accept-encoding']).toBe('identity');
    }
  });

  it('may have 5 MiB', async () => {
    const answer = await show(await received(server.url('/large.png')), 0);
    expect([answer.status, answer.bytes.equals(large)]).toEqual([200, true]);
  });

  it.each([
    ['an SVG', '/svg', 'REMOTE_IMAGE_TYPE_UNKNOWN'],
    ['a page', '/page', 'REMOTE_IMAGE_TYPE_UNKNOWN'],
    ['nothing', '/empty', 'REMOTE_IMAGE_TYPE_UNKNOWN'],
    ['a body of a gigabyte', '/endless', 'REMOTE_IMAGE_TOO_LARGE'],
    ['a body that is larger once it is unpacked', '/packed', 'REMOTE_IMAGE_TOO_LARGE'],
    ['a refusal', '/none', 'REMOTE_IMAGE_UNAVAILABLE'],
    ['a redirect to a metadata server', '/to-metadata', 'REMOTE_IMAGE_FORBIDDEN'],
    ['a redirect to another address of this machine', '/to-loopback', 'REMOTE_IMAGE_FORBIDDEN'],
    ['a redirect to a file', '/to-file', 'REMOTE_IMAGE_UNAVAILABLE'],
    ['a redirect without an end', '/to-itself', 'REMOTE_IMAGE_UNAVAILABLE'],
  ])('is not shown where its address has %s', async (_what, path, problem) => {
    const before = sent;
    const answer = await show(await received(server.url(path)), 0);
    expect(answer.problem).toBe(problem);
    expect(sent - before).toBeLessThan(32 * mebi);
    expect(limitUse()['mail.remoteImages']).toMatchObject({ used: 0, waiting: 0 });
  });

  it.each([
    [elsewhere, 'REMOTE_IMAGE_FORBIDDEN'],
    ['https://[::ffff:10.0.0.1]/x.png', 'REMOTE_IMAGE_FORBIDDEN'],
    ['http://93.184.216.34:8080/x.png', 'REMOTE_IMAGE_FORBIDDEN'],
    ['http://127.0.0.1:9/x.png', 'REMOTE_IMAGE_UNAVAILABLE'],
  ])('is not asked for at %s', async (address, problem) => {
    expect((await show(await received(address), 0)).problem).toBe(problem);
  });

  it('is not found beyond those that the message names, nor in another mailbox or workspace', async () => {
    const id = await received(server.url('/a.png'));
    expect(await show(id, 1)).toMatchObject({ status: 404, problem: 'REMOTE_IMAGE_NOT_FOUND' });
    const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
    const stranger = { ...mailbox, tenantId: aMember().tenantId };
    const unknown = await show(unknownId('msg'), 0);
    expect(unknown).toMatchObject({ status: 404, problem: 'MESSAGE_NOT_FOUND' });
    for (const other of [sibling, stranger, await service.mailbox()])
      expect((await show(id, 0, other)).text).toBe(unknown.text);
  });
});
