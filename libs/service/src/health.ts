/**
 * The state of a check: true if it holds, else the reason as text. A function is called at each probe, for
 * silent faults (a consumer that no longer consumes).
 */
export type CheckState = true | string | (() => true | string);

/** One check that does not hold. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** The answer of a probe: the status code and the JSON body. */
export interface Probe {
  readonly status: 200 | 503;
  readonly body: { readonly status: 'ok' | 'unavailable'; readonly missing: readonly Missing[] };
}

function probe(checks: ReadonlyMap<string, CheckState>): Probe {
  const missing: Missing[] = [];
  for (const [name, state] of checks) {
    const reason = typeof state === 'function' ? state() : state;
    if (reason !== true) missing.push({ name, reason });
  }
  const ok = missing.length === 0;
  return { status: ok ? 200 : 503, body: { status: ok ? 'ok' : 'unavailable', missing } };
}

/**
 * The health of a process, as named checks. Live: would a restart help? Ready: may requests come?
 * Started: has it ever been ready?
 * A dependency that is down belongs to readiness alone, or its outage restarts every service.
 */
export class Health {
  private readonly readiness = new Map<string, CheckState>();
  private readonly liveness = new Map<string, CheckState>();
  private hasStarted = false;

  /** @param awaited the checks that have to report before the process is ready for the first time */
  constructor(awaited: Iterable<string>) {
    for (const name of awaited) this.readiness.set(name, 'starting');
  }

  /** Sets a readiness check, such as `ready('smtp', true)` once the listener is bound. */
  ready(name: string, state: CheckState): void {
    this.readiness.set(name, state);
  }

  /** Sets a liveness check, such as `live('consumer', () => beating() || 'no heartbeat')`. */
  live(name: string, state: CheckState): void {
    this.liveness.set(name, state);
  }

  /** Not ready from now on: the first step of stopping, so that no new request is sent here. */
  stopping(): void {
    this.ready('process', 'stopping');
  }

  /** For `/readyz`: 503 with what is missing until every check holds. */
  readyz(): Probe {
    return probe(this.readiness);
  }

  /**
   * For `/startupz`: 503 with what is missing until every check has held at once, 200 from then on. The
   * other two report later failures.
   */
  startupz(): Probe {
    const ready = this.readyz();
    this.hasStarted ||= ready.status === 200;
    return this.hasStarted ? probe(new Map()) : ready;
  }

  /** For `/healthz`: 503 when only a restart helps. */
  healthz(): Probe {
    return probe(this.liveness);
  }
}
