import { hash } from 'node:crypto';

/**
 * Canonical JSON (RFC 8785): the keys of every object in order, so that two spellings of one input are one
 * text. Values are those of a decoded input, bounded by the body's limit.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return canonicalJson(JSON.parse(JSON.stringify(value)));
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(',')}}`;
}

/** Hash of what an Idempotency-Key is bound to: the operation, its path ids and its input (`decisions.md` §4). */
export const fingerprint = (operation: string, input: object): string =>
  hash('sha256', `${operation}\n${canonicalJson(input)}`, 'base64url');
