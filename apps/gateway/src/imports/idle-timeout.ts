import type { IncomingMessage } from 'node:http';
import { withTimeout } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

/**
 * The chunks of a body, read as fast as the caller takes them. The stream is not destroyed at the end,
 * since the answer needs its connection.
 *
 * @throws Problem SERVICE_UNAVAILABLE when no byte arrived for `idleTimeoutMs`
 */
export async function* chunksOf(
  raw: IncomingMessage,
  idleTimeoutMs: number,
): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const { value, done } = await withTimeout(chunks.next(), idleTimeoutMs, refuse);
      if (done === true) return;
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
