import type { IncomingMessage } from 'node:http';
import { withTimeout } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

/**
 * The chunks of a body; whoever takes none stops the sender. The stream is left whole, for the answer
 * needs its connection.
 *
 * @throws Problem SERVICE_UNAVAILABLE when nothing came for so long
 */
export async function* withinSilence(
  raw: IncomingMessage,
  silenceMaxMs: number,
): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const { value, done } = await withTimeout(chunks.next(), silenceMaxMs, tooSilent);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Lets go of the stream, whose rest would not flow else; not awaited, since it waits for a chunk
    // that may never come.
    void chunks.return?.();
  }
}

/** The rest of the body would be waited for before the connection's next request. */
const tooSilent = (): never => {
  throw new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } });
};
