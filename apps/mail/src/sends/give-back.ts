/** Less than that is left to the collector of garbage. */
const largeBytes = 1024 * 1024;

/**
 * Gives the memory of a message back that nobody uses any more. A few of them that wait to be collected
 * have the collector look through the whole heap of the thread that serves requests.
 */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeBytes) buffer.transfer(0);
}
