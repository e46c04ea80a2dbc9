/** Waits for work to a time at most; what is still under way then goes on unwatched. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref();
  });
  await Promise.race([work, enough]).finally(() => clearTimeout(timer));
}
