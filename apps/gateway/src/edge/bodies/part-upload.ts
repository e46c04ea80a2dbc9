import { createHash, type Hash } from 'node:crypto';
import { isCanonicalBase64, StoredContent, type StreamedPart } from '@postroom/contracts';
import type { BlobStore, BlobWriter } from '@postroom/persistence/blobs/blob-store';
import type { StringSink } from './json-body.js';

/** Limits of a request's uploads: parts beyond them are checked and not stored. */
export type UploadLimits = Pick<StreamedPart, 'countMax' | 'charactersMax'>;

/** A part that is being uploaded. */
interface Part {
  /** Null when it exceeds the limits. */
  readonly store: { readonly writer: BlobWriter; readonly hash: Hash } | null;
  /** Characters that are not decoded yet. */
  rest: string;
  size: number;
}

/** Bytes of one write at most. */
const bufferBytes = 192 * 1024;
/** Characters that are decoded at a time. */
const decodedCharacters = 64 * 1024;
const alphabet = /^[A-Za-z0-9+/]*$/;
/** Stands in the input for a part that is no canonical base64, and is none. */
const notBase64 = '!';

/**
 * Uploads the base64 parts of one request to the blob store as they arrive. It decodes into buffers that
 * {@link flush} writes: the caller awaits that before it reads on, which bounds the memory.
 */
export class PartUpload implements StringSink {
  /** Stands for a part that exceeds the limits: so large that the rule for their sum refuses it. */
  private readonly tooLarge: StoredContent;
  private readonly references: string[] = [];
  /** Null for one that is no base64, whose rest is left out. */
  private current: Part | null = null;
  private count = 0;
  private characters = 0;
  /** Bytes from `queuedEnd` to `decodedEnd` are decoded and not queued yet. */
  private buffer: Buffer | undefined;
  private queuedEnd = 0;
  private decodedEnd = 0;
  private readonly queue: (() => Promise<void>)[] = [];
  /** Full buffers with queued bytes, and those that can be used again. */
  private readonly fullBuffers: Buffer[] = [];
  private readonly freeBuffers: Buffer[] = [];

  constructor(
    private readonly blobs: BlobStore,
    private readonly tenantId: string,
    private readonly limits: UploadLimits,
  ) {
    this.tooLarge = new StoredContent('', limits.charactersMax, '');
  }

  begin(): void {
    const isWithin = this.count < this.limits.countMax && this.isWithinCharacters;
    this.count += 1;
    this.current = { store: isWithin ? this.beginStore() : null, rest: '', size: 0 };
  }

  add(text: string): void {
    const { current } = this;
    if (!current) return;
    this.characters += text.length;
    current.rest += text;
    // The last group is held back, since it alone may be padded.
    while (this.current && current.rest.length > decodedCharacters) {
      const whole = current.rest.slice(0, decodedCharacters);
      current.rest = current.rest.slice(decodedCharacters);
      if (alphabet.test(whole)) this.decode(current, whole);
      else this.abandon();
    }
  }

  /** @returns where the part is stored; a text that is no base64 in place of one that was none */
  end(): StoredContent | string {
    const { current } = this;
    if (!current) return notBase64;
    if (!isCanonicalBase64(current.rest)) {
      this.abandon();
      return notBase64;
    }
    this.decode(current, current.rest);
    this.enqueue(current);
    this.current = null;
    return this.stored(current);
  }

  /** Writes everything that was queued. */
  async flush(): Promise<void> {
    for (const write of this.queue.splice(0)) await write();
    this.freeBuffers.push(...this.fullBuffers.splice(0));
  }

  /** Deletes everything that was uploaded. */
  async discard(): Promise<void> {
    await Promise.all(this.references.map((one) => this.blobs.drop(this.tenantId, one)));
  }

  private beginStore(): Part['store'] {
    const writer = this.blobs.createWriter(this.tenantId);
    this.references.push(writer.reference);
    return { writer, hash: createHash('sha256') };
  }

  private decode(part: Part, text: string): void {
    const buffer = this.bufferWithRoom(part, (text.length / 4) * 3);
    this.decodedEnd += buffer.write(text, this.decodedEnd, 'base64');
  }

  private abandon(): void {
    this.current = null;
    this.decodedEnd = this.queuedEnd;
  }

  private stored({ store, size }: Part): StoredContent {
    if (!store || !this.isWithinCharacters) return this.tooLarge;
    const { writer, hash } = store;
    this.queue.push(() => writer.finish());
    return new StoredContent(writer.reference, size, hash.digest('hex'));
  }

  private bufferWithRoom(part: Part, bytes: number): Buffer {
    if (this.buffer && this.decodedEnd + bytes <= this.buffer.length) return this.buffer;
    this.enqueue(part);
    if (this.buffer) this.fullBuffers.push(this.buffer);
    this.buffer = this.freeBuffers.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
    this.queuedEnd = 0;
    this.decodedEnd = 0;
    return this.buffer;
  }

  /** Queues the decoded bytes of a part; drops them if it exceeds the limits. */
  private enqueue(part: Part): void {
    const bytes = this.buffer?.subarray(this.queuedEnd, this.decodedEnd);
    if (!bytes || bytes.length === 0) return;
    const { store } = part;
    part.size += bytes.length;
    if (store && this.isWithinCharacters) {
      this.queuedEnd = this.decodedEnd;
      store.hash.update(bytes);
      this.queue.push(() => store.writer.append(bytes));
    } else this.decodedEnd = this.queuedEnd;
  }

  private get isWithinCharacters(): boolean {
    return this.characters <= this.limits.charactersMax;
  }
}
