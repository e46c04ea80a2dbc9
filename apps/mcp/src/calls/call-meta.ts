import { hash } from 'node:crypto';
import { isRecord, type JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';

/** The field of `_meta` in which newer clients name themselves in every request. */
const clientInfo = 'io.modelcontextprotocol/clientInfo';

const charactersMax = 100;

/**
 * The name of the client: from `_meta`, or its User-Agent. There are no sessions, so the name given in
 * `initialize` is unknown here. It is unverified: cut to one short line without hidden characters.
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

/** The Idempotency-Key of a call. */
interface CallKey {
  readonly value: string;
  /** It was made of the call itself. */
  readonly isDerived: boolean;
}

interface Sources {
  readonly params: JsonObject;
  /** The header `Idempotency-Key`. */
  readonly ofRequest: string | undefined;
  /** Values that make two calls the same call; null where only a given key counts. */
  readonly derivedFrom: readonly string[] | null;
}

/**
 * The Idempotency-Key of a call (`decisions.md` §7): that in `_meta`, that of the request, or, for a key
 * whose writes wait for approval, one that the same call has each time, so that repeating it asks how
 * the approval stands.
 */
export function idempotencyKeyOf({ params, ofRequest, derivedFrom }: Sources): CallKey | undefined {
  const meta = params['_meta'];
  const given = (isRecord(meta) ? meta['idempotencyKey'] : undefined) ?? ofRequest;
  // The gateway refuses one that is no text, or too long, as malformed.
  if (given !== undefined)
    return { value: typeof given === 'string' ? given.slice(0, unitsMax) : '', isDerived: false };
  if (!derivedFrom) return undefined;
  return { value: `mcp-${hash('sha256', derivedFrom.join('\n'))}`, isDerived: true };
}
