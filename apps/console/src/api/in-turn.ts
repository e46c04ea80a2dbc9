/**
 * Requests that are made at once where each mailbox is asked. A browser has six connections to a host, one of them the
 * stream's: a conversation that is opened meanwhile does not wait behind thirty mailboxes.
 */
export const atOnceMax = 4;

const waiting: (() => void)[] = [];
let running = 0;

/** Makes a request once fewer than {@link atOnceMax} others of the kind are under way. */
export async function inTurn<T>(request: () => Promise<T>): Promise<T> {
  if (running < atOnceMax) running += 1;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await request();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
