const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i % 977}:${i}`);

/** Joins, splits, maps and sorts texts: work that waits for memory, as parsers do. */
function reference(): void {
  const found = new Map<string, readonly string[]>();
  for (const line of lines.join('\r\n').split('\r\n')) {
    const [name = '', value = ''] = line.split(':');
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  JSON.stringify([...found].sort());
}

function referenceMs(): number {
  const before = process.threadCpuUsage();
  reference();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** CPU time of the reference work, once it is compiled, where nothing else runs. */
const quietMs = 15;
const warmUps = 8;
let isWarm = false;

/**
 * The speed of this machine at the moment, 1 at most: two programs that share a core's memory take up to three times the
 * CPU time of one. A CPU time that is measured now is multiplied by it to be compared with a bound.
 */
export function machineSpeed(): number {
  for (let n = 0; !isWarm && n < warmUps; n++) reference();
  isWarm = true;
  return Math.min(1, quietMs / Math.min(referenceMs(), referenceMs(), referenceMs()));
}
