/**
 * A machine that serves requests: stations, each with so many places, share the machine's cores. A request
 * passes them one after the other; at each it needs CPU, exponentially distributed around a mean. What is in
 * service runs on a core of its own, or shares the cores where more runs than there are.
 */
export class Machine {
  constructor({ cores, stations, seed }) {
    this.cores = cores;
    this.stations = stations.map(({ places, cpuMs }) => ({ places, cpuMs, queue: [], busy: 0 }));
    this.random = mulberry32(seed);
    this.running = [];
    this.nowMs = 0;
  }

  /** @returns requests a second of `clients` that each ask again as soon as they are answered */
  throughput(clients, seconds) {
    const warmUpMs = 1_000;
    let answered = 0;
    for (let i = 0; i < clients; i += 1) this.enter({ station: 0, sinceMs: 0 });
    while (this.nowMs < warmUpMs + seconds * 1_000) {
      const done = this.step(Infinity);
      if (!done) continue;
      if (this.nowMs > warmUpMs) answered += 1;
      this.enter({ station: 0, sinceMs: this.nowMs });
    }
    return answered / seconds;
  }

  /** @returns the times of `count` requests that come by chance, so many a second, in ms, sorted */
  latencies(perSecond, count) {
    const times = [];
    const gapMs = () => this.exponential(1_000 / perSecond);
    let nextMs = gapMs();
    let come = 0;
    while (times.length < count) {
      const done = this.step(come < count ? nextMs : Infinity);
      if (done) times.push(this.nowMs - done.sinceMs);
      if (come < count && this.nowMs >= nextMs) {
        this.enter({ station: 0, sinceMs: this.nowMs });
        come += 1;
        nextMs = this.nowMs + gapMs();
      }
    }
    return times.sort((a, b) => a - b);
  }

  enter(request) {
    const station = this.stations[request.station];
    if (station.busy >= station.places) return void station.queue.push(request);
    station.busy += 1;
    this.running.push({ ...request, leftMs: this.exponential(station.cpuMs) });
  }

  /** Goes on to the next end of a service, or to a moment. @returns the request that is answered then */
  step(untilMs) {
    const share = Math.min(1, this.cores / this.running.length);
    const leastMs = Math.min(...this.running.map(({ leftMs }) => leftMs));
    const forMs = Math.min(leastMs / share, untilMs - this.nowMs);
    this.nowMs += forMs;
    for (const one of this.running) one.leftMs -= forMs * share;
    const at = this.running.findIndex(({ leftMs }) => leftMs <= 1e-9);
    return at < 0 ? null : this.leave(this.running.splice(at, 1)[0]);
  }

  leave({ station: index, sinceMs }) {
    const station = this.stations[index];
    station.busy -= 1;
    const next = station.queue.shift();
    if (next) this.enter(next);
    if (index + 1 === this.stations.length) return { sinceMs };
    this.enter({ station: index + 1, sinceMs });
    return null;
  }

  exponential(mean) {
    return -mean * Math.log(1 - this.random());
  }
}

/** Numbers from 0 to 1 by chance, the same for a seed always (mulberry32). */
export function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
