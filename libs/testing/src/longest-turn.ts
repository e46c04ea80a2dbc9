/** Watches how long the event loop of this thread is held up at most, milliseconds of CPU time, until it is stopped. */
export function longestTurn(): { readonly stop: () => number } {
  const usedMs = (): number => process.threadCpuUsage().user / 1000;
  let [longest, last] = [0, usedMs()];
  const timer = setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}
