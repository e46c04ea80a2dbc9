/** A body over this many bytes travels by reference, in both directions (`decisions.md` §11). */
export const byReferenceOverBytes = 256 * 1024;

/**
 * Keeps bodies that are too large for the bus while they are on their way: until they are dropped,
 * an hour at most. A reference opens nothing for another workspace.
 */
export interface BlobStore {
  /** @returns the reference to it */
  put(tenantId: string, bytes: Uint8Array): Promise<string>;
  /** @returns null for what is not there, not whole, or another workspace's */
  get(tenantId: string, reference: string): Promise<Buffer | null>;
  drop(tenantId: string, reference: string): Promise<void>;
}
