import type { IncomingMessage } from 'node:http';
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
      const { value, done } = await withTimeout(chunks.next(), idleTimeoutMs);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Without it the rest of the stream would not flow. It is not awaited, because it waits for a
    // chunk that may never arrive.
    void chunks.return?.();
  }
}

async function withTimeout<T>(chunk: Promise<T>, idleTimeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // On a connection that is kept, the next request would wait for the rest of the body.
      reject(new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } }));
    }, idleTimeoutMs);
  });
  // After the timeout nobody handles the error of a stream that breaks later.
  chunk.catch(() => undefined);
  try {
    return await Promise.race([chunk, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
