import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  decode,
  fieldsOf,
  GivenMessage,
  messageFaults,
  streamedParts,
  Problem,
  StoredContent,
  type Dto,
} from '@postroom/contracts';
import { Pieces } from '@postroom/limits';
import { blobsSchema, PostgresBlobs } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { createTestDatabase, heldBytes, type TestDatabase } from '@postroom/testing';
import { someOf } from '@postroom/testing/repetitions';
import type { FastifyRequest } from 'fastify';
import { Client } from 'pg';
import { limits } from '../../limits.js';
import { StreamedBodies } from './streamed-bodies.js';

const bytesMax = 32 * 1024 * 1024;
const parts = streamedParts(fieldsOf(GivenMessage));
const tenantId = 'ten_a';

/** A request, and the result of reading its body. */
interface Read {
  readonly request: FastifyRequest;
  readonly rest: (() => unknown) | Problem;
}

describe('a body whose files are uploaded', () => {
  let database: TestDatabase<'blobs'>;
  let admin: Client;
  let blobs: PostgresBlobs;
  let bodies: StreamedBodies;
  let port: number;
  const reads: Promise<Read>[] = [];
  const begun: IncomingMessage[] = [];
  const agent = new Agent({ keepAlive: true });
  const log = createLog({ level: 'silent', format: 'json' });

  const server = createServer((raw, response) => {
    const state = { authorization: { caller: { tenantId } } };
    const request = { raw, headers: raw.headers, id: 'req', state } as unknown as FastifyRequest;
    begun.push(raw);
    const reading = bodies
      .read(request, parts, bytesMax)
      .catch((error: unknown) => error as Problem)
      .then((rest) => ({ request, rest }));
    reads.push(reading);
    void reading.then(({ rest }) => {
      response.writeHead(rest instanceof Problem ? rest.status : 200).end();
    });
  });

  beforeAll(async () => {
    database = await createTestDatabase([blobsSchema]);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    blobs = new PostgresBlobs({ url: database.urls.blobs, onTrouble: () => undefined });
    bodies = new StreamedBodies(blobs, log, new Pieces(limits.pieces));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    agent.destroy();
    server.close();
    await blobs.close();
    await admin.end();
    await database.drop();
  });
  afterEach(async () => {
    await admin.query('TRUNCATE blobs.chunks');
    reads.length = 0;
    begun.length = 0;
  });

  const chunks = async (): Promise<number> => {
    const { rows } = await admin.query<{ n: number }>('SELECT count(*)::int n FROM blobs.chunks');
    return rows[0]?.n ?? -1;
  };
  /** The answer does not wait for uploads to be dropped. */
  const emptied = async (): Promise<void> => {
    while ((await chunks()) > 0) await sleep(20);
  };

  /** Sends a body in these pieces; the answer's status, or nothing when it was cut off. */
  const post = (
    pieces: Iterable<string | Buffer>,
    { length, cut = false }: { length?: number; cut?: boolean } = {},
  ): Promise<number | undefined> =>
    new Promise((resolve) => {
      const headers = { connection: 'keep-alive', ...(length && { 'content-length': length }) };
      const sent = httpRequest({ port, method: 'POST', agent, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', () => resolve(undefined));
      const body = pieces[Symbol.iterator]();
      const write = (): void => {
        const next = body.next();
        if (sent.destroyed) return;
        if (next.done !== true) sent.write(next.value, write);
        else if (cut) sent.destroy();
        else sent.end();
      };
      write();
    });

  const only = async (): Promise<Read> => {
    const [reading] = reads;
    if (!reading) throw new Error('nothing came');
    return reading;
  };

  const message = (attachments: readonly object[]): string =>
    JSON.stringify({ to: 'a@b.fr', subject: 'x', body: 'y', attachments });

  /** The decoded rest, with the contents in their places. */
  const decoded = ({ rest }: Read) => {
    if (rest instanceof Problem) throw rest;
    const dto: Dto<GivenMessage> = GivenMessage;
    return decode(dto, { body: rest() });
  };

  /** A message with one file of so much base64, never in one piece. */
  function* large(characters: number): Generator<string | Buffer> {
    const [before = '', after = ''] = message([{ contentBase64: '|' }]).split('|');
    yield before;
    const piece = Buffer.alloc(65_536, 'QUJD');
    for (let left = characters; left > 0; left -= piece.length) yield piece.subarray(0, left);
    yield after;
  }

  it('has its files in the store, byte for byte, and what it says is small', async () => {
    const files = [0, 1, 57, 262_144, 262_145, 3_000_000].map((size) => randomBytes(size));
    const given = files.map((bytes, i) => ({
      filename: `${i}.bin`,
      contentBase64: bytes.toString('base64'),
    }));
    expect(await post([message(given)])).toBe(200);
    const read = await only();
    const { input } = decoded(read);
    const contents = input?.attachments.map((file) => file.contentBase64) ?? [];
    for (const [i, bytes] of files.entries()) {
      const content = contents[i];
      if (!(content instanceof StoredContent)) throw new Error('it was not uploaded');
      expect((await blobs.get(tenantId, content.reference))?.equals(bytes)).toBe(true);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(content).toEqual(new StoredContent(content.reference, bytes.length, sha256));
    }
    expect(JSON.stringify(input).length).toBeLessThan(2_000);
    bodies.discardUploads(read.request);
    await emptied();
  });

  it('keeps nothing of one that is cut off, anywhere', async () => {
    const whole = Buffer.concat([...large(2_000_000)].map((piece) => Buffer.from(piece)));
    for (const share of [0.3, 0.6, 0.999]) {
      const cut = Math.floor(whole.length * share);
      await post([whole.subarray(0, cut)], { length: whole.length, cut: true });
      while (reads.length === 0) await sleep(5);
      const read = await only();
      expect(read.rest).toMatchObject({ code: 'INVALID_REQUEST' });
      bodies.discardUploads(read.request);
      reads.length = 0;
    }
    await emptied();
  });

  it('is taken to 26,214,400 characters; what is more is not kept, and known to be too much', async () => {
    const bytesStored = async (): Promise<number> => {
      const { rows } = await admin.query<{ n: number }>(
        'SELECT coalesce(sum(octet_length(bytes)), 0)::int AS n FROM blobs.chunks',
      );
      return rows[0]?.n ?? -1;
    };
    const sizes = [26_214_400, 26_214_404, 30_000_000];
    for (const characters of someOf(sizes, 2)) {
      expect(await post(large(characters))).toBe(200);
      const read = await only();
      const { input } = decoded(read);
      const faults = messageFaults(input ?? {});
      expect([characters, faults.length > 0]).toEqual([characters, characters > 26_214_400]);
      expect(await bytesStored()).toBeLessThanOrEqual((26_214_400 / 4) * 3);
      bodies.discardUploads(read.request);
      await emptied();
      reads.length = 0;
    }
  });

  it('stores no more than 50 files, and knows of the others', async () => {
    expect(
      await post([message(Array.from({ length: 60 }, () => ({ contentBase64: 'QUJD' })))]),
    ).toBe(200);
    const read = await only();
    expect(await chunks()).toBe(50);
    const { input } = decoded(read);
    expect(messageFaults(input ?? {})).toMatchObject([{ tooLarge: true }]);
    bodies.discardUploads(read.request);
    await emptied();
  });

  it('names a file that is no canonical base64, after the others have been uploaded', async () => {
    const good = { contentBase64: 'QUJD' };
    for (const contentBase64 of ['QUJ', 'QUI=A', 'QUJ=', 'QU\nJD', 'é', '!0!', 1, null, ['QUJD']]) {
      expect(await post([message([good, { contentBase64 }])])).toBe(200);
      const read = await only();
      const { violations } = decoded(read);
      expect(violations?.map(({ field }) => field)).toEqual(['attachments.1.contentBase64']);
      bodies.discardUploads(read.request);
      reads.length = 0;
    }
    await emptied();
  });

  it('is refused past its limit, by its length before it is read, and by what comes', async () => {
    const endless = function* (): Generator<Buffer> {
      for (;;) yield Buffer.alloc(65_536, ' ');
    };
    expect(await post(['{'], { length: bytesMax + 1 })).toBe(413);
    expect(await post(endless())).toBe(413);
    const text = function* (): Generator<string> {
      yield '{"body":"';
      for (let i = 0; i < 21; i++) yield 'x'.repeat(1024 * 1024);
      yield '"}';
    };
    // Values that are not uploaded have limits of their own.
    expect(await post(text())).toBe(413);
    const empty = '{"contentBase64":""}';
    for (const item of ['[]', '{"a":0}', '0', empty]) {
      expect(await post([`{"attachments":[${`${item},`.repeat(60_000)}${item}]}`])).toBe(413);
    }
    const filler = Array<string>(30).fill(' '.repeat(1024 * 1024));
    expect(await post([message([JSON.parse(empty)]), ...filler])).toBe(200);
    expect(await post([message(Array(2_000).fill(JSON.parse(empty)))])).toBe(200);
  });

  it('is refused while the store cannot be reached', async () => {
    const gone = new PostgresBlobs({
      url: 'postgres://nobody@127.0.0.1:1/nothing',
      onTrouble: () => undefined,
    });
    bodies = new StreamedBodies(gone, log, new Pieces(limits.pieces));
    expect(await post(large(3_000_000))).toBe(503);
    const { request } = await only();
    bodies.discardUploads(request);
    bodies = new StreamedBodies(blobs, log, new Pieces(limits.pieces));
    await gone.close();
  });

  it('costs little, a dozen at once', async () => {
    const before = heldBytes();
    const held: number[] = [];
    /** Looks when half of the body has been sent, and after each further megabyte. */
    function* watched(characters: number): Generator<string | Buffer> {
      let sent = 0;
      for (const piece of large(characters)) {
        yield piece;
        sent += piece.length;
        if (sent > characters / 2 && sent % (1024 * 1024) < piece.length)
          held.push(heldBytes() - before);
      }
    }
    const others = Array.from({ length: 11 }, () => post(large(8_000_000)));
    const statuses = await Promise.all([post(watched(8_000_000)), ...others]);
    for (const reading of reads) bodies.discardUploads((await reading).request);
    await emptied();
    expect(statuses).toEqual(Array(12).fill(200));
    // 96 MB have come; what is held of each is a chunk or two.
    expect(held.length).toBeGreaterThan(2);
    expect(Math.max(...held)).toBeLessThan(32 * 1024 * 1024);
  });

  it('is not held up by large ones that came before it, while it is small', async () => {
    const answered: string[] = [];
    const answer = async (what: string, status: Promise<number | undefined>): Promise<void> => {
      expect(await status).toBe(200);
      answered.push(what);
    };
    const before = [1, 2, 3].map(() => answer('large', post(large(8_000_000))));
    while ((await chunks()) < 2) await sleep(5);
    await Promise.all([...before, answer('small', post(large(100_000)))]);
    expect(answered[0]).toBe('small');
    for (const reading of reads) bodies.discardUploads((await reading).request);
    await emptied();
  });

  it('waits for a sender that stops, holding no connection of the store', async () => {
    const pieces = [...large(1_000_000)];
    const sent = httpRequest({ port, method: 'POST', agent: false });
    sent.on('error', () => undefined);
    for (const piece of pieces.slice(0, 8)) sent.write(piece);
    while ((await chunks()) === 0) await sleep(10);
    // A chunk may still be on its way.
    const busy = `SELECT FROM pg_stat_activity WHERE usename = 'postroom_blobs' AND state <> 'idle'`;
    while ((await admin.query(busy)).rowCount !== 0) await sleep(10);
    sent.destroy();
    const read = await only();
    bodies.discardUploads(read.request);
    await emptied();
  });
});
