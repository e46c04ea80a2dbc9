import { createHash, type Hash } from 'node:crypto';
import {
  StoredContent,
  type BlobStore,
  type BlobWriter,
  type PartApart,
} from '@postroom/contracts';
import { Base64Decoder } from './base64-decoder.js';
import { markOf, type ApartTexts } from './json-scanner.js';

/** How much of a request's texts may be put aside; what is beyond is only looked at. */
export type ApartLimits = Pick<PartApart, 'countMax' | 'charactersMax'>;

/** A text whose bytes are being put aside. */
interface Content {
  readonly decoder: Base64Decoder;
  readonly hash: Hash;
  /** Null where it is over the limits. */
  readonly writer: BlobWriter | null;
  size: number;
}

/** What is written together, so many whole groups. */
const bufferBytes = 192 * 1024;

/**
 * Takes base64 texts of one request as they come, and puts their bytes into the blob store. What was
 * taken is written by {@link written}: the caller waits for it before it reads on, so that no more is
 * held than what came in between.
 */
export class PutApart implements ApartTexts {
  /** What was put aside, by its mark; what is not canonical base64 is not there. */
  readonly contents = new Map<string, StoredContent>();
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
    private readonly limits: ApartLimits,
  ) {}

  begin(): number {
    const isWithin = this.count < this.limits.countMax && this.isWithinCharacters;
    const writer = isWithin ? this.blobs.begin(this.tenantId) : null;
    if (writer) this.references.push(writer.reference);
    this.current = { decoder: new Base64Decoder(), hash: createHash('sha256'), writer, size: 0 };
    return this.count++;
  }

  add(source: Buffer, from: number, to: number): number {
    const { current } = this;
    if (!current) return from;
    this.characters += to - from;
    let at = from;
    while (at < to) {
      const buffer = this.roomy(current);
      const { read, written } = current.decoder.decode(source, at, to, buffer, this.used);
      at += read;
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
    const { writer, hash, size } = current;
    const isStored = writer !== null && this.isWithinCharacters;
    if (isStored) this.steps.push(() => writer.end());
    this.contents.set(
      markOf(this.count - 1),
      isStored ? new StoredContent(writer.reference, size, hash.digest('hex')) : this.tooLarge,
    );
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
    const { writer, hash } = current;
    current.size += bytes.length;
    if (writer && this.isWithinCharacters) {
      this.begun = this.used;
      hash.update(bytes);
      this.steps.push(() => writer.append(bytes));
    } else this.used = this.begun;
  }

  private get isWithinCharacters(): boolean {
    return this.characters <= this.limits.charactersMax;
  }

  /** Larger than all may be together, so that whoever adds up finds out. */
  private get tooLarge(): StoredContent {
    return new StoredContent('', this.limits.charactersMax, '');
  }
}
