/** CPU time that this thread takes for something, milliseconds. V8's helper threads, which collect garbage, are not counted. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The cost of an input of the greatest length. */
export interface Growth {
  /** CPU time, milliseconds. */
  readonly ms: number;
  /** The ratio to the cost of a quarter of it: about 4 if time grows with length, 16 if with its square. */
  readonly ratio: number;
}

const triesMax = 5;
/** The limit for linear growth: a busy machine makes some runs slower than others. */
const linear = 7;
/** A longer run is tried again, in case that the machine was busy. */
const slowMs = 800;
/** Shorter times cannot be distinguished from noise. */
const noiseMs = 10;

/** Measures how time grows with the length of the input: the least growth and the least time of some tries. */
export function growthOf(run: (length: number) => unknown, lengthMax: number): Growth {
  let found: Growth = { ms: Infinity, ratio: Infinity };
  const isDone = () => found.ratio <= linear && found.ms <= slowMs;
  for (let tries = 0; tries < triesMax && !isDone(); tries++) {
    const quarterMs = cpuMsOf(() => run(Math.ceil(lengthMax / 4)));
    const ms = cpuMsOf(() => run(lengthMax));
    const ratio = ms / Math.max(quarterMs, noiseMs);
    found = { ms: Math.min(ms, found.ms), ratio: Math.min(ratio, found.ratio) };
  }
  return found;
}

/** A part again and again, or with its number, up to a length in bytes. */
export function filled(part: string | ((i: number) => string), length: number): string {
  if (typeof part === 'string') return part.repeat(Math.floor(length / Buffer.byteLength(part)));
  const count = Math.floor(length / Buffer.byteLength(part(0)));
  return Array.from({ length: count }, (_, i) => part(i)).join('');
}
