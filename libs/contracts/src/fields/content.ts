/**
 * Bytes that were put in the blob store while the rest of their request was read. Only the reader of
 * bodies makes one: a sender's JSON never does.
 */
export class StoredContent {
  constructor(
    /** In the blob store. */
    readonly reference: string,
    /** Bytes. */
    readonly size: number,
    /** SHA-256 of the bytes, hexadecimal. */
    readonly sha256: string,
  ) {}
}

/** Pattern of the texts that {@link isCanonicalBase64} accepts, for published schemas. */
export const canonicalBase64Pattern =
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$';

/**
 * True for base64 as RFC 4648 §4 writes it and no other way: standard alphabet, padded to a multiple of four,
 * padding bits zero.
 */
export const isCanonicalBase64 = (text: string): boolean =>
  text.length % 4 === 0 && Buffer.from(text, 'base64').toString('base64') === text;

/** Characters of the base64 of so many bytes. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;
