import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BusUnavailable,
  InProcessBus,
  type ReplyEnvelope,
  type RequestEnvelope,
} from '@postroom/bus';
import { blobsSchema, S3Blobs } from '@postroom/persistence';
import { ConfigError, createLog, loadConfig } from '@postroom/service';
import { createTestDatabase, freePort, OutsideS3, whereThere, heldBytes } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { BlobsConfig, carryLargeBodies, type LargeBodies } from './large-bodies.js';

const log = createLog({ level: 'silent', format: 'json' });

const carried = (given: Record<string, string>): LargeBodies => {
  const nowhere = { BLOBS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  const config = loadConfig(BlobsConfig, { ...nowhere, ...given });
  return carryLargeBodies(new InProcessBus(), config, log);
};

/** Carries a large request and its large reply over a bus. */
async function carry({ bus }: LargeBodies): Promise<void> {
  const input = randomBytes(3_000_000);
  const twice = ({ input: asked }: RequestEnvelope) => Buffer.concat([asked, asked]);
  const stop = await bus.handle('mail', (asked) => Promise.resolve(replyTo(asked, twice(asked))));
  const { body } = await bus.request('mail', request(input));
  await stop();
  expect(body.equals(Buffer.concat([input, input]))).toBe(true);
}

const request = (input: Buffer): RequestEnvelope => ({
  ...{ id: 'r', operation: 'o', deadlineMs: Date.now() + 30_000, signature: '', requestId: 'r' },
  ...{ caller: JSON.stringify({ tenantId: 'ten_a' }), idempotencyKey: null, preview: false },
  ...{ traceparent: null, orderKey: null, references: null, replyTo: null, input },
});

const replyTo = ({ id }: RequestEnvelope, body: Buffer): ReplyEnvelope => ({
  ...{ id, status: 200, headers: {}, problem: null, body },
});

it('large bodies travel through PostgreSQL', async () => {
  const database = await createTestDatabase([blobsSchema]);
  const large = carried({ BLOBS_DATABASE_URL: database.urls.blobs });
  await carry(large);
  await large.close();
  await database.drop();
});

// The server comes from PyPI.
whereThere(OutsideS3, describe)('large bodies in an S3-compatible store', () => {
  let server: OutsideS3;
  let large: LargeBodies;

  beforeAll(async () => {
    server = await OutsideS3.start();
    large = carried({ BLOBS_S3_URL: server.url });
  });
  afterAll(async () => {
    await large.close();
    await server.stop();
  });

  const blobs = () => large.blobs;

  it.each([0, 1, 262_145, 5 * 1024 * 1024 + 1, isFullRun() ? 26_000_000 : 11_000_000])(
    'gives %i bytes back as they went, and again',
    async (size) => {
      const bytes = randomBytes(size);
      const reference = await blobs().put('ten_a', bytes);
      expect((await blobs().get('ten_a', reference))?.equals(bytes)).toBe(true);
      expect((await blobs().get('ten_a', reference))?.equals(bytes)).toBe(true);
    },
  );

  it.each([
    ...[[[]], [[0]], [[1, 2, 3]], [[5_242_880]], [[5_242_880, 1]]],
    [[4_000_000, 300_000, 0, 9_000_000]],
  ])(
    'takes bytes little by little, and has them once they are whole (%j)',
    async (sizes: number[]) => {
      const pieces = sizes.map((size) => randomBytes(size));
      const writer = blobs().createWriter('ten_a');
      for (const piece of pieces) {
        const lent = Buffer.from(piece);
        await writer.append(lent);
        lent.fill(0);
      }
      expect(await blobs().get('ten_a', writer.reference)).toBeNull();
      await writer.finish();
      const found = await blobs().get('ten_a', writer.reference);
      expect(found?.equals(Buffer.concat(pieces))).toBe(true);
    },
  );

  it('opens nothing for another workspace', async () => {
    const reference = await blobs().put('ten_a', Buffer.from('secret'));
    for (const other of ['ten_b', 'ten']) {
      expect(await blobs().get(other, reference)).toBeNull();
      await blobs().drop(other, reference);
    }
    for (const trick of [`../ten_a/${reference}`, `..%2Ften_a%2F${reference}`, 'nonsense', '']) {
      expect(await blobs().get('ten_b', trick)).toBeNull();
      await blobs().drop('ten_b', trick);
    }
    expect(await blobs().get('ten_a', reference)).toEqual(Buffer.from('secret'));
  });

  it('has nothing more once it is dropped, whole or not', async () => {
    const reference = await blobs().put('ten_a', Buffer.from('x'));
    const writer = blobs().createWriter('ten_a');
    await writer.append(randomBytes(6_000_000));
    for (const dropped of [reference, writer.reference, reference]) {
      await blobs().drop('ten_a', dropped);
      expect(await blobs().get('ten_a', dropped)).toBeNull();
    }
  });

  it('carries a large request and its large reply', () => carry(large));

  const store = (): S3Blobs => {
    if (large.blobs instanceof S3Blobs) return large.blobs;
    throw new Error('another store');
  };

  it('leaves nothing of what was dropped while it was written', async () => {
    await store().purge(Date.now() + 2 * 3_600_000);
    const writer = store().createWriter('ten_a');
    await writer.append(randomBytes(6_000_000));
    expect(await server.uploads()).toBe(1);
    await store().drop('ten_a', writer.reference);
    expect(await server.uploads()).toBe(0);
    await expect(writer.append(randomBytes(6_000_000))).rejects.toThrow('dropped');
    await expect(writer.finish()).rejects.toThrow('dropped');
    expect([await server.uploads(), await server.objects()]).toEqual([0, 0]);
  });

  it('is forgotten after an hour, of every workspace, whole or not', async () => {
    for (const tenant of ['ten_a', 'ten_b']) await store().put(tenant, randomBytes(10));
    for (const tenant of ['ten_a', 'ten_b']) {
      await store().createWriter(tenant).append(randomBytes(6_000_000));
    }
    expect(await server.uploads()).toBe(2);
    await store().purge(Date.now() + 59 * 60_000);
    // This server says of every upload that it was begun in 2010.
    expect([await server.objects(), await server.uploads()]).toEqual([2, 0]);
    await store().purge(Date.now() + 61 * 60_000);
    expect([await server.objects(), await server.uploads()]).toEqual([0, 0]);
  });

  it('is forgotten by several processes at once', async () => {
    for (let i = 0; i < 20; i++) await store().put('ten_a', randomBytes(1));
    await store().createWriter('ten_a').append(randomBytes(6_000_000));
    const other = carried({ BLOBS_S3_URL: server.url });
    const later = Date.now() + 61 * 60_000;
    if (!(other.blobs instanceof S3Blobs)) throw new Error('another store');
    await Promise.all([store().purge(later), other.blobs.purge(later)]);
    await other.close();
    expect([await server.objects(), await server.uploads()]).toEqual([0, 0]);
  });

  it('is forgotten all but what the store would not delete, and that the next time', async () => {
    for (let i = 0; i < 3; i++) await store().put('ten_a', randomBytes(1));
    for (let i = 0; i < 2; i++) await store().createWriter('ten_a').append(randomBytes(6_000_000));
    const refused = new Set<string>();
    const moody = createServer(({ method = '', url: path = '', headers }, response) => {
      const kind = path.includes('uploadId=') ? 'an upload' : 'an object';
      if (method === 'DELETE' && !refused.has(kind)) {
        refused.add(kind);
        response.writeHead(500).end();
        return;
      }
      const to = { host: '127.0.0.1', port: server.port, method, path, headers };
      const onward = ask(to, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.end();
    });
    const port = await freePort();
    await once(moody.listen(port, '127.0.0.1'), 'listening');
    const other = carried({ BLOBS_S3_URL: server.url.replace(String(server.port), String(port)) });
    if (!(other.blobs instanceof S3Blobs)) throw new Error('another store');
    const later = Date.now() + 61 * 60_000;
    await other.blobs.purge(later);
    expect([await server.objects(), await server.uploads()]).toEqual([1, 1]);
    await other.blobs.purge(later);
    expect([await server.objects(), await server.uploads()]).toEqual([0, 0]);
    await other.close();
    moody.close();
  });

  it('holds a part of what it writes, not all', async () => {
    const piece = Buffer.alloc(1_000_000, 'x');
    const before = heldBytes();
    let peak = 0;
    const writer = store().createWriter('ten_a');
    for (let i = 0; i < 100; i++) {
      await writer.append(piece);
      if (i % 10 === 0) peak = Math.max(peak, heldBytes() - before);
    }
    await writer.finish();
    expect(peak).toBeLessThan(60_000_000);
    await store().drop('ten_a', writer.reference);
  });
});

describe('large bodies with a store that is away', () => {
  it.each([
    ['PostgreSQL', {}],
    ['S3', { BLOBS_S3_URL: 'http://key:secret@127.0.0.1:1/letters' }],
  ])('are refused as not to be had now (%s)', async (_name, given) => {
    const { bus, close } = carried(given);
    const asked = bus.request('mail', request(randomBytes(300_000)));
    await expect(asked).rejects.toBeInstanceOf(BusUnavailable);
    await close();
  });

  it('are not begun without a key to the bucket', () => {
    const without = () => carried({ BLOBS_S3_URL: 'https://s3.example/letters' });
    expect(without).toThrow(ConfigError);
  });
});
