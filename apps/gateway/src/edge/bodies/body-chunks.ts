import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { withTimeout } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

/** Connections with a request that has no total timeout. */
export const longUploads = new WeakSet<Socket>();

/** Minimum pace, 8 KiB a second: a client that sends a byte now and then is never idle. */
const paceBytesPerMs = 8.192;

/**
 * The chunks of a body, read as fast as the caller takes them. The stream is not destroyed at the end,
 * since the answer needs its connection.
 *
 * @throws Problem SERVICE_UNAVAILABLE when no byte arrived for `idleTimeoutMs`, or when all that was
 * waited for its bytes is longer than that and their number at the minimum pace
 */
export async function* chunksOf(
  raw: IncomingMessage,
  idleTimeoutMs: number,
): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const before = performance.now();
      const { value, done } = await withTimeout(chunks.next(), idleTimeoutMs, refuse);
      if (done === true) return;
      // Only the sender's time: what storing takes is ours.
      waitedMs += performance.now() - before;
      bytes += value.length;
      if (waitedMs > idleTimeoutMs + bytes / paceBytesPerMs) refuse();
      yield value;
    }
  } finally {
    // Without it the rest of the stream would not flow. It is not awaited, because it waits for a
    // chunk that may never arrive.
    void chunks.return?.();
  }
}

/** On a connection that is kept, the next request would wait for the rest of the body. */
const refuse = (): never => {
  throw new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } });
};
