import { hash } from 'node:crypto';

/**
 * JSON with the keys of every object in order, so that two spellings of one input are one text.
 * Values are those of a decoded input: plain data, bounded by the body's limit.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** What an Idempotency-Key is bound to: the operation, its path ids and its input (`decisions.md` §4). */
export const fingerprint = (operation: string, input: object): string =>
  hash('sha256', `${operation}\n${canonicalJson(input)}`, 'base64url');
