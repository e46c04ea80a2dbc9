import { hash } from 'node:crypto';
import { isRecord, type JsonObject } from '../json-rpc/index.js';

/** More than any key may have. */
const unitsMax = 1000;

interface Sources {
  readonly params: JsonObject;
  /** The header `Idempotency-Key`. */
  readonly ofRequest: string | undefined;
  /** What makes two calls the same call; null where only a key that is given counts. */
  readonly derivedFrom: readonly string[] | null;
}

/**
 * The Idempotency-Key of a call (`decisions.md` §7): that in `_meta`, that of the request, or, of a key
 * whose writes wait for approval, one that the same call has each time, so that repeating it asks how
 * the approval stands.
 */
export function idempotencyKeyOf({ params, ofRequest, derivedFrom }: Sources): string | undefined {
  const meta = params['_meta'];
  const given = isRecord(meta) ? meta['idempotencyKey'] : undefined;
  // What is no text, or too long, is refused by the gateway, as one that is malformed.
  if (given !== undefined) return typeof given === 'string' ? given.slice(0, unitsMax) : '';
  if (ofRequest !== undefined) return ofRequest.slice(0, unitsMax);
  return derivedFrom ? `mcp-${hash('sha256', derivedFrom.join('\n'))}` : undefined;
}
