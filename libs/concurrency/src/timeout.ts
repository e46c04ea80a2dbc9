/**
 * Settles as the work does, or as `late` does when the work takes longer than `ms`. Late work goes on,
 * and its outcome is ignored.
 */
export function withTimeout<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    // A promise, so that what `late` throws rejects.
    const expire = (): void => resolve(Promise.resolve().then(late));
    const timer = setTimeout(expire, Math.max(0, ms));
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
