import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** A reader that takes nothing for so long, or lets this much wait, is cut off. */
const stalledMs = 10_000;
const waitingBytesMax = 1024 * 1024;

/** The head of an answer of server-sent events. */
export const eventStreamHeaders = (requestId: string): Readonly<Record<string, string>> => ({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
  // Proxies that buffer answers would hold it back.
  'x-accel-buffering': 'no',
});

/**
 * Writes, and waits until the reader has taken enough of what waits. One that stalls is cut off: the response is
 * closed then, and what comes after is written nowhere.
 */
export async function writePaced(
  response: ServerResponse,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || response.destroyed || response.write(text)) return;
  if (response.writableLength > waitingBytesMax) {
    response.destroy();
    return;
  }
  const stalled = AbortSignal.timeout(stalledMs);
  await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) }).catch(() =>
    response.destroy(),
  );
}
