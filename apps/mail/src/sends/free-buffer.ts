/** Smaller buffers are left to the garbage collector. */
const largeBytes = 1024 * 1024;

/**
 * Frees the memory of a message that is no longer used. A few such buffers that wait to be collected make
 * the garbage collector scan the whole heap of the thread that serves requests.
 */
export function freeBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeBytes) buffer.transfer(0);
}
