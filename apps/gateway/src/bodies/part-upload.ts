import { createHash, type Hash } from 'node:crypto';
import {
  StoredContent,
  type BlobStore,
  type BlobWriter,
  type StreamedPart,
} from '@postroom/contracts';
import { Base64Decoder } from './base64-decoder.js';
import { markOf, type TextSink } from './json-scanner.js';

/** How much of a request's texts may be put aside; what is beyond is only looked at. */
export type UploadLimits = Pick<StreamedPart, 'countMax' | 'charactersMax'>;

/** A text whose bytes are being put aside. */
interface Content {
  readonly decoder: Base64Decoder;
  /** Null where it is over the limits. */
  readonly store: { readonly writer: BlobWriter; readonly hash: Hash } | null;
  size: number;
}

/** What is written together, so many whole groups. */
const bufferBytes = 192 * 1024;

/**
 * Takes base64 texts of one request as they come, and puts their bytes into the blob store. What was
 * taken is written by {@link written}: the caller waits for it before it reads on, so that no more is
 * held than what came in between.
 */
export class PartUpload implements TextSink {
  /** What was put aside, by its mark; what is not canonical base64 is not there. */
  readonly contents = new Map<string, StoredContent>();
  /** Larger than all may be together, so that whoever adds up finds out. */
  private readonly tooLarge: StoredContent;
  private readonly references: string[] = [];
  private current: Content | undefined;
  private count = 0;
  private characters = 0;
  /** Bytes from `begun` to `used` are decoded, and in no step yet. */
  private buffer: Buffer | undefined;
  private begun = 0;
  private used = 0;
  private readonly steps: (() => Promise<void>)[] = [];
  /** Buffers whose bytes are in steps, and those that may be used again. */
  private readonly spent: Buffer[] = [];
  private readonly free: Buffer[] = [];

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
      const buffer = this.roomy(current);
      const { read, written } = current.decoder.decode(source, at, to, buffer, this.used);
      at += read;
      this.characters += read;
      this.used += written;
      if (at < to && this.used + 3 <= buffer.length) return at;
    }
    return at;
  }

  abandon(): void {
    this.current = undefined;
    this.used = this.begun;
  }

  end(): void {
    const { current } = this;
    if (!current?.decoder.isWhole) {
      this.abandon();
      return;
    }
    this.cut(current);
    this.current = undefined;
    this.contents.set(markOf(this.count - 1), this.stored(current));
  }

  /** Resolves once everything that was taken is in the store. */
  async written(): Promise<void> {
    for (const step of this.steps.splice(0)) await step();
    this.free.push(...this.spent.splice(0));
  }

  /** Takes back all that was put aside. */
  async drop(): Promise<void> {
    await Promise.all(this.references.map((one) => this.blobs.drop(this.tenantId, one)));
  }

  private beginStore(): Content['store'] {
    const writer = this.blobs.begin(this.tenantId);
    this.references.push(writer.reference);
    return { writer, hash: createHash('sha256') };
  }

  private stored({ store, size }: Content): StoredContent {
    if (!store || !this.isWithinCharacters) return this.tooLarge;
    const { writer, hash } = store;
    this.steps.push(() => writer.end());
    return new StoredContent(writer.reference, size, hash.digest('hex'));
  }

  /** A buffer with room for a group. */
  private roomy(current: Content): Buffer {
    if (this.buffer && this.used + 3 <= this.buffer.length) return this.buffer;
    this.cut(current);
    if (this.buffer) this.spent.push(this.buffer);
    this.buffer = this.free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
    this.begun = 0;
    this.used = 0;
    return this.buffer;
  }

  /** Makes a step of what is decoded; of what is over the limits, nothing. */
  private cut(current: Content): void {
    const bytes = this.buffer?.subarray(this.begun, this.used);
    if (!bytes || bytes.length === 0) return;
    const { store } = current;
    current.size += bytes.length;
    if (store && this.isWithinCharacters) {
      this.begun = this.used;
      store.hash.update(bytes);
      this.steps.push(() => store.writer.append(bytes));
    } else this.used = this.begun;
  }

  private get isWithinCharacters(): boolean {
    return this.characters <= this.limits.charactersMax;
  }
}
