import { randomUUID } from 'node:crypto';
import { Budget } from '@postroom/limits';
import { limits } from '../limits.js';
import { BlobGone, pieceBytes, type BlobStore, type BlobWriter } from './blob-store.js';
import { S3mini, S3ServiceError } from 's3mini';
import { type Bucket, S3Writer, uploadsIn } from './s3-writer.js';

const prefix = 'postroom-blobs/';
const requestMaxMs = 30_000;
const purgeEveryMs = 60_000;
const purgedAfterMs = 3_600_000;
const pageMax = 1_000;

export interface S3BlobsOptions {
  /** With the bucket, in its path or its host: `https://host/bucket`. */
  readonly url: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
  /** Called with each purge that failed; it is tried again. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Bodies in a bucket of an S3-compatible store, an object each, whose name begins with its workspace.
 * What comes little by little is a multipart upload: an object only once it is completed. The sweep is
 * our own, since a bucket's rules know days, not hours.
 */
export class S3Blobs implements BlobStore {
  private readonly bucket: Bucket;
  private readonly onTrouble: (error: unknown) => void;
  private readonly purging: NodeJS.Timeout;
  private sweeping: Promise<void> | undefined;

  constructor({ url, region, keyId, secret, onTrouble }: S3BlobsOptions) {
    const client = new S3mini({
      endpoint: url,
      region,
      accessKeyId: keyId,
      secretAccessKey: secret,
      requestAbortTimeout: requestMaxMs,
    });
    this.bucket = { client, uploads: new Map(), sending: new Budget(limits.parts) };
    this.onTrouble = onTrouble;
    this.purging = setInterval(() => {
      // One at a time, however long the store takes.
      this.sweeping ??= this.purge()
        .catch(onTrouble)
        .finally(() => (this.sweeping = undefined));
    }, purgeEveryMs).unref();
  }

  async put(tenantId: string, bytes: Uint8Array): Promise<string> {
    const reference = randomUUID();
    await this.bucket.client.putObject(objectOf(tenantId, reference), bytes);
    return reference;
  }

  createWriter(tenantId: string): BlobWriter {
    const reference = randomUUID();
    return new S3Writer(this.bucket, tenantId, reference, objectOf(tenantId, reference));
  }

  async get(tenantId: string, reference: string): Promise<Buffer | null> {
    if (!isReference(reference)) return null;
    const bytes = await this.bucket.client.getObjectArrayBuffer(objectOf(tenantId, reference));
    return bytes && Buffer.from(bytes);
  }

  async *pieces(tenantId: string, reference: string): AsyncGenerator<Buffer, void> {
    const object = isReference(reference) ? objectOf(tenantId, reference) : null;
    const response = object === null ? null : await this.bucket.client.getObjectResponse(object);
    if (!response?.body) throw new BlobGone(reference);
    yield* inPieces(response.body);
  }

  async drop(tenantId: string, reference: string): Promise<void> {
    if (!isReference(reference)) return;
    const object = objectOf(tenantId, reference);
    const upload = this.bucket.uploads.get(object);
    this.bucket.uploads.delete(object);
    if (upload !== undefined) await this.breakOff(object, upload);
    await this.bucket.client.deleteObject(object);
  }

  /**
   * Deletes bodies that were not claimed within an hour, and uploads that were never completed; done by itself every
   * minute, by each process that has the store. One that the store would not delete keeps none of the
   * others.
   * @param nowMs epoch milliseconds
   */
  async purge(nowMs = Date.now()): Promise<void> {
    const isForgotten = (since: Date | string): boolean =>
      nowMs - new Date(since).getTime() > purgedAfterMs;
    let next: string | undefined;
    do {
      const page = await this.bucket.client.listObjectsPaged('/', prefix, pageMax, next);
      for (const { Key, LastModified } of page?.objects ?? []) {
        if (isForgotten(LastModified)) {
          await this.bucket.client.deleteObject(Key).catch(this.onTrouble);
        }
      }
      next = page?.nextContinuationToken;
    } while (next !== undefined);
    const uploads = await this.bucket.client.listMultipartUploads('/', '', 'GET', { prefix });
    for (const { object, upload, begun } of uploadsIn(uploads)) {
      if (isForgotten(begun)) await this.breakOff(object, upload).catch(this.onTrouble);
    }
  }

  close(): Promise<void> {
    clearInterval(this.purging);
    return Promise.resolve();
  }

  private async breakOff(object: string, upload: string): Promise<void> {
    try {
      await this.bucket.client.abortMultipartUpload(object, upload);
    } catch (error) {
      // It was completed, or another process was faster.
      if (!(error instanceof S3ServiceError && error.status === 404)) throw error;
    }
  }
}

/** The bytes of a stream, in pieces of one size but the last. */
async function* inPieces(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= pieceBytes) {
      yield held.subarray(0, pieceBytes);
      held = held.subarray(pieceBytes);
    }
  }
  if (held.length > 0) yield held;
}

/** No other text: it is part of a path, and comes from outside. */
const isReference = (text: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

function objectOf(tenantId: string, reference: string): string {
  if (!/^\w+$/.test(tenantId)) throw new Error('no workspace has such an id');
  return `${prefix}${tenantId}/${reference}`;
}
