import { hash } from 'node:crypto';
import { isRecord, type JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';

/** Where newer clients name themselves in every request. */
const clientInfo = 'io.modelcontextprotocol/clientInfo';

const charactersMax = 100;

/**
 * What the program that calls names itself: in `_meta`, or as its User-Agent. There are no sessions, so what
 * it said in `initialize` is not known here. Nobody vouches for it: one short line without hidden characters.
 */
export function clientNameOf(
  params: JsonObject,
  userAgent: string | undefined,
): string | undefined {
  const meta = params['_meta'];
  const info = isRecord(meta) ? meta[clientInfo] : undefined;
  const { name, version } = isRecord(info) ? info : {};
  const said = [name, version].filter((part) => typeof part === 'string').join(' ');
  const line = visibleLine(typeof name === 'string' ? said : (userAgent ?? ''), charactersMax);
  return line === '' ? undefined : line;
}

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
