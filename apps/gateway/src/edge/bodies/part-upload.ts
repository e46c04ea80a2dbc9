import { createHash, type Hash } from 'node:crypto';
import {
  StoredContent,
  type BlobStore,
  type BlobWriter,
  type StreamedPart,
} from '@postroom/contracts';
import { Base64Decoder } from './base64-decoder.js';
import { placeholderOf, type StringSink } from './json-scanner.js';

/** How much a request may upload; what exceeds it is checked and not stored. */
export type UploadLimits = Pick<StreamedPart, 'countMax' | 'charactersMax'>;

/** A part that is being uploaded. */
interface Part {
  readonly decoder: Base64Decoder;
  /** Null when it exceeds the limits. */
  readonly store: { readonly writer: BlobWriter; readonly hash: Hash } | null;
  size: number;
}

/** Bytes of one write at most; a multiple of three. */
const bufferBytes = 192 * 1024;

/**
 * Uploads the base64 parts of one request to the blob store as they arrive. It decodes into buffers that
 * {@link flush} writes: the caller awaits that before it reads on, which bounds the memory.
 */
export class PartUpload implements StringSink {
  /** The uploaded parts by their placeholders; a part that is no canonical base64 is missing. */
  readonly contents = new Map<string, StoredContent>();
  /** Stands for a part that exceeds the limits: so large that the rule for their sum refuses it. */
  private readonly tooLarge: StoredContent;
  private readonly references: string[] = [];
  private current: Part | undefined;
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

  begin(): number {
    const isWithin = this.count < this.limits.countMax && this.isWithinCharacters;
    const store = isWithin ? this.beginStore() : null;
    this.current = { decoder: new Base64Decoder(), store, size: 0 };
    return this.count++;
  }

  add(source: Buffer, from: number, to: number): number {
    const { current } = this;
    if (!current) return from;
    let at = from;
    while (at < to) {
      const buffer = this.bufferWithRoom(current);
      const { read, written } = current.decoder.decode(source, at, to, buffer, this.decodedEnd);
      at += read;
      this.characters += read;
      this.decodedEnd += written;
      if (at < to && this.decodedEnd + 3 <= buffer.length) return at;
    }
    return at;
  }

  abandon(): void {
    this.current = undefined;
    this.decodedEnd = this.queuedEnd;
  }

  end(): void {
    const { current } = this;
    if (!current?.decoder.isWhole) {
      this.abandon();
      return;
    }
    this.enqueue(current);
    this.current = undefined;
    this.contents.set(placeholderOf(this.count - 1), this.stored(current));
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
    const writer = this.blobs.begin(this.tenantId);
    this.references.push(writer.reference);
    return { writer, hash: createHash('sha256') };
  }

  private stored({ store, size }: Part): StoredContent {
    if (!store || !this.isWithinCharacters) return this.tooLarge;
    const { writer, hash } = store;
    this.queue.push(() => writer.end());
    return new StoredContent(writer.reference, size, hash.digest('hex'));
  }

  /** A buffer with room for three bytes, those of a group. */
  private bufferWithRoom(part: Part): Buffer {
    if (this.buffer && this.decodedEnd + 3 <= this.buffer.length) return this.buffer;
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
