import { isRecord, type JsonObject } from '../json-rpc/index.js';
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
