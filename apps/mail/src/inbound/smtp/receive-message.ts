import type { SMTPServerDataStream } from 'smtp-server';
import type { MessageBuffer } from './message-buffer.js';
import { refusals, SmtpRefusal } from './smtp-refusal.js';

/**
 * Reads a message to its end. A message that is refused is read too, since the client reads the reply
 * only then (RFC 5321 §3.3), but not buffered.
 *
 * @param timeLimitMs for the whole message: a client that sends a byte a minute is never idle
 * @throws SmtpRefusal for a message that is too large or too slow, exceeds the budget, or breaks off
 */
export async function receiveMessage(
  stream: SMTPServerDataStream,
  buffer: MessageBuffer,
  timeLimitMs: number,
): Promise<Buffer> {
  const chunks: AsyncIterable<Buffer> = stream;
  const timer = setTimeout(() => stream.destroy(refusals.tooSlow()), timeLimitMs);
  let refusal: SmtpRefusal | null = null;
  try {
    for await (const chunk of chunks) {
      if (refusal) continue;
      if (stream.sizeExceeded) refusal = refusals.tooLarge();
      else if (!buffer.append(chunk)) refusal = refusals.noRoom();
      if (refusal) buffer.release();
    }
  } catch (error) {
    throw error instanceof SmtpRefusal ? error : refusals.brokenOff();
  } finally {
    clearTimeout(timer);
  }
  if (refusal) throw refusal;
  return buffer.joined();
}
