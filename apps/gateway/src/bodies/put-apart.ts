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

type Step = (writer: BlobWriter) => Promise<void>;

/**
 * Takes base64 texts of one request as they come, and puts their bytes into the blob store. What was
 * taken is written by {@link written}: the caller waits for it before it reads on, so that no more is
 * held than what came in between.
 */
export class PutApart implements ApartTexts {
  /** What was put aside, by its mark; what is not canonical base64 is not there. */
  readonly contents = new Map<string, StoredContent>();
  private readonly references: string[] = [];
  private readonly steps: (readonly [BlobWriter, Step])[] = [];
  private current: Content | undefined;
  private count = 0;
  private characters = 0;

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

  add(piece: Buffer): boolean {
    const { current } = this;
    if (!current) return false;
    this.characters += piece.length;
    const bytes = current.decoder.push(piece.toString('latin1'));
    if (!bytes) return false;
    current.size += bytes.length;
    if (current.writer && this.isWithinCharacters) {
      current.hash.update(bytes);
      this.steps.push([current.writer, (writer) => writer.append(bytes)]);
    }
    return true;
  }

  abandon(): void {
    this.current = undefined;
  }

  end(): void {
    const { current } = this;
    this.current = undefined;
    if (!current?.decoder.isWhole) return;
    const { writer, hash, size } = current;
    const isStored = writer !== null && this.isWithinCharacters;
    if (isStored) this.steps.push([writer, () => writer.end()]);
    this.contents.set(
      markOf(this.count - 1),
      isStored ? new StoredContent(writer.reference, size, hash.digest('hex')) : this.tooLarge,
    );
  }

  /** Resolves once everything that was taken is in the store. */
  async written(): Promise<void> {
    for (const [writer, step] of this.steps.splice(0)) await step(writer);
  }

  /** Takes back all that was put aside. */
  async drop(): Promise<void> {
    await Promise.all(this.references.map((one) => this.blobs.drop(this.tenantId, one)));
  }

  private get isWithinCharacters(): boolean {
    return this.characters <= this.limits.charactersMax;
  }

  /** Larger than all may be together, so that whoever adds up finds out. */
  private get tooLarge(): StoredContent {
    return new StoredContent('', this.limits.charactersMax, '');
  }
}
