/** Collects a stream without holding it twice, when it has as many bytes as expected or fewer. */
export async function collected(
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
