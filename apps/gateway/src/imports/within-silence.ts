import type { IncomingMessage } from 'node:http';
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
      const { value, done } = await inTime(chunks.next(), silenceMaxMs);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Lets go of the stream, whose rest would not flow else; not awaited, since it waits for a chunk
    // that may never come.
    void chunks.return?.();
  }
}

async function inTime<T>(coming: Promise<T>, silenceMaxMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // The rest of the body would be waited for before the next request.
      reject(new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } }));
    }, silenceMaxMs);
  });
  // Whoever has given up hears nothing of a stream that breaks later.
  coming.catch(() => undefined);
  try {
    return await Promise.race([coming, silence]);
  } finally {
    clearTimeout(timer);
  }
}
