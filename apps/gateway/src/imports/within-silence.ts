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
  for (;;) {
    const { value, done } = await inTime(chunks.next(), silenceMaxMs);
    if (done === true) return;
    yield value;
  }
}

async function inTime<T>(coming: Promise<T>, silenceMaxMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Problem('SERVICE_UNAVAILABLE'));
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
