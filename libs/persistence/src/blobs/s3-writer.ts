import type { Budget } from '@postroom/limits';
import type { BlobWriter } from './blob-store.js';
import type { S3mini, UploadPart } from 's3mini';

/** The least that S3 takes as a part which is not the last. */
const partBytes = 5 * 1024 * 1024;
/** Up to this size a body is given room little by little. */
const smallBytes = 512 * 1024;

/** The client and limits that writers of a bucket share. */
export interface Bucket {
  readonly client: S3mini;
  /** By object, the upload that writes it, while it is under way. */
  readonly uploads: Map<string, string>;
  /** To send a part: a request holds a copy of it. */
  readonly sending: Budget<'workspace'>;
}

/** Writes an object: at once if it is small, else in parts of 5 MiB, of which it holds one. */
export class S3Writer implements BlobWriter {
  private readonly parts: UploadPart[] = [];
  private held = Buffer.alloc(0);
  private length = 0;

  constructor(
    private readonly bucket: Bucket,
    private readonly workspace: string,
    readonly reference: string,
    private readonly object: string,
  ) {}

  async append(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (this.length + rest.length > partBytes) {
      const fits = rest.subarray(0, partBytes - this.length);
      this.hold(fits);
      rest = rest.subarray(fits.length);
      await this.leave(await this.begun());
    }
    this.hold(rest);
  }

  async finish(): Promise<void> {
    const upload = this.bucket.uploads.get(this.object);
    if (this.parts.length === 0) {
      await this.bucket.client.putObject(this.object, this.held.subarray(0, this.length));
      return;
    }
    if (upload === undefined) throw new Error('it was dropped while it was written');
    await this.leave(upload);
    const whole = await this.bucket.client.completeMultipartUpload(this.object, upload, this.parts);
    // S3 answers 200 before it knows, and may say in the body that it failed.
    if (!whole.etag) throw new Error('S3 did not complete the upload');
    this.bucket.uploads.delete(this.object);
  }

  private async begun(): Promise<string> {
    const known = this.bucket.uploads.get(this.object);
    if (known !== undefined) return known;
    if (this.parts.length > 0) throw new Error('it was dropped while it was written');
    const upload = await this.bucket.client.getMultipartUploadId(this.object);
    this.bucket.uploads.set(this.object, upload);
    return upload;
  }

  /** A copy: who gave the bytes may use their place again. */
  private hold(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.held.length) {
      const larger = Buffer.alloc(needed > smallBytes ? partBytes : 2 * needed);
      larger.set(this.held.subarray(0, this.length));
      this.held = larger;
    }
    this.held.set(bytes, this.length);
    this.length = needed;
  }

  private async leave(upload: string): Promise<void> {
    const part = this.held.subarray(0, this.length);
    const number = this.parts.length + 1;
    const { client, sending } = this.bucket;
    const { workspace } = this;
    const send = () => client.uploadPart(this.object, upload, part, number);
    this.parts.push(await sending.runInTurn({ workspace }, send));
    this.length = 0;
  }
}

/** An upload that was begun and not completed. */
interface Upload {
  readonly object: string;
  readonly upload: string;
  /** ISO 8601. */
  readonly begun: string;
}

interface XmlUpload {
  readonly Key: string;
  readonly UploadId: string;
  readonly Initiated: string;
}

/** The uploads of a listing, which the client hands over as its XML has them: one alone is no list. */
export function uploadsIn(answer: unknown): readonly Upload[] {
  const { ListMultipartUploadsResult: result } = answer as {
    readonly ListMultipartUploadsResult?: { readonly Upload?: XmlUpload | readonly XmlUpload[] };
  };
  const uploads = [result?.Upload ?? []].flat();
  return uploads.map(({ Key, UploadId, Initiated }) => ({
    object: Key,
    upload: UploadId,
    begun: Initiated,
  }));
}
