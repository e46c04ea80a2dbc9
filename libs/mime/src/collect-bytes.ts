/**
 * Collects a stream into one buffer of the expected size, which grows only if the stream is longer:
 * `buffer()` of `node:stream/consumers` would hold large messages twice.
 */
export async function collectBytes(
  stream: AsyncIterable<Uint8Array>,
  expected: number,
): Promise<Buffer<ArrayBuffer>> {
  let bytes = Buffer.allocUnsafeSlow(expected);
  let length = 0;
  for await (const chunk of stream) {
    if (length + chunk.length > bytes.length) {
      bytes = Buffer.concat([bytes], (length + chunk.length) * 2);
    }
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}
