import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';

/** Bytes of objects and buffers that this process still refers to, after a garbage collection. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
