import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { servicePool } from '../service-pool.js';
import { statement, type Statement } from '../statement.js';
import { BlobGone, pieceBytes, type BlobStore, type BlobWriter } from './blob-store.js';

type WriteChunk = (
  reference: string,
  position: number,
  isLast: boolean,
  bytes: Uint8Array,
) => Promise<void>;

/** Fewer bytes than this wait for more. */
const chunkMin = pieceBytes / 4;

/** Writes what comes as chunks of 256 KiB at most; the last one, which may be empty, says that it is. */
export class ChunkWriter implements BlobWriter {
  readonly reference = randomUUID();
  private waiting: Buffer = Buffer.alloc(0);
  private position = 0;

  constructor(private readonly write: WriteChunk) {}

  async append(bytes: Uint8Array): Promise<void> {
    const all = this.waiting.length > 0 ? Buffer.concat([this.waiting, bytes]) : bytes;
    let at = 0;
    while (all.length - at >= chunkMin) {
      const chunk = all.subarray(at, at + pieceBytes);
      await this.flush(chunk, false);
      at += chunk.length;
    }
    // A copy: who gave the bytes may use their place again.
    this.waiting = Buffer.from(all.subarray(at));
  }

  finish(): Promise<void> {
    return this.flush(this.waiting, true);
  }

  private flush(chunk: Uint8Array, isLast: boolean): Promise<void> {
    return this.write(this.reference, this.position++, isLast, chunk);
  }
}

interface Chunk {
  readonly isLast: boolean;
  readonly base64: string;
}

const putChunk = statement<object>('blobs.put_chunk', 'SELECT put_chunk($1, $2, $3, $4, $5)');
// The driver reads texts only: base64 is a third less than the hexadecimal of bytea, and read faster.
const getChunk = statement<Chunk>(
  'blobs.get_chunk',
  `SELECT is_last AS "isLast", encode(bytes, 'base64') AS base64 FROM get_chunk($1, $2, $3)`,
);
const dropBlob = statement<object>('blobs.drop_blob', 'SELECT drop_blob($1, $2)');
const purgeChunks = statement<{ purged: string }>(
  'blobs.purge_chunks',
  'SELECT purge_chunks() AS purged',
);

const purgeEveryMs = 60_000;
/** Chunks that one call deletes at most. */
const purgedMax = 1_000;

export interface PostgresBlobsOptions {
  /** As the role of schema `blobs`. */
  readonly url: string;
  /** Called with a purge that failed or a lost connection; both are tried again. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Bodies in PostgreSQL, a chunk a row; connections are opened when a body needs one. One is for writing: a body
 * that is written is in memory as a whole, and must not wait for the many that are read as their clients like.
 */
export class PostgresBlobs implements BlobStore {
  private readonly writing: Pool;
  private readonly reading: Pool;
  private readonly purging: NodeJS.Timeout;

  constructor({ url, onTrouble }: PostgresBlobsOptions) {
    const open = () => servicePool({ url, schema: 'blobs', max: 1, onTrouble });
    [this.writing, this.reading] = [open(), open()];
    this.purging = setInterval(() => {
      this.purge().catch(onTrouble);
    }, purgeEveryMs).unref();
  }

  async put(tenantId: string, bytes: Uint8Array): Promise<string> {
    const writer = this.createWriter(tenantId);
    await writer.append(bytes);
    await writer.finish();
    return writer.reference;
  }

  createWriter(tenantId: string): BlobWriter {
    return new ChunkWriter(async (reference, position, isLast, bytes) => {
      await rowsOf(this.writing, putChunk, [tenantId, reference, position, isLast, bytes]);
    });
  }

  async get(tenantId: string, reference: string): Promise<Buffer | null> {
    try {
      return await buffer(this.pieces(tenantId, reference));
    } catch (error) {
      if (error instanceof BlobGone) return null;
      throw error;
    }
  }

  async *pieces(tenantId: string, reference: string): AsyncGenerator<Buffer, void> {
    const read = (position: number): Promise<Chunk[]> =>
      rowsOf(this.reading, getChunk, [tenantId, reference, position]);
    let reading = read(0);
    for (let position = 1; ; position++) {
      const [chunk] = await reading;
      if (!chunk) throw new BlobGone(reference);
      if (!chunk.isLast) {
        // The next one is fetched while this one is used; who goes away is not told that it failed.
        reading = read(position);
        reading.catch(() => undefined);
      }
      yield Buffer.from(chunk.base64, 'base64');
      if (chunk.isLast) return;
    }
  }

  async drop(tenantId: string, reference: string): Promise<void> {
    await rowsOf(this.reading, dropBlob, [tenantId, reference]);
  }

  /** Deletes bodies that were not claimed within an hour; done by itself every minute. */
  async purge(): Promise<void> {
    for (let purged = purgedMax; purged >= purgedMax;) {
      const [row] = await rowsOf(this.reading, purgeChunks, []);
      purged = Number(row?.purged ?? 0);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.purging);
    await Promise.all([this.writing.end(), this.reading.end()]);
  }
}

async function rowsOf<R extends object>(
  pool: Pool,
  { name, text }: Statement<R>,
  values: readonly unknown[],
): Promise<R[]> {
  return (await pool.query<R>({ name, text, values: [...values] })).rows;
}
