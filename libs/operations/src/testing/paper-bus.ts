import {
  BusUnavailable,
  RecordTooLarge,
  UnknownEventType,
  type EmitResult,
  type EventRecord,
} from '@postroom/bus';
import { outgoingGroup } from '@postroom/contracts';

const eventCharsMax = 100_000;

/** The events half of a bus, on paper: it keeps what it takes, and can be out of order. */
export class PaperBus {
  /** Every event taken, again when it came again. */
  readonly taken: EventRecord[] = [];
  /** Calls of `emit`, refused ones too. */
  calls = 0;
  down = false;
  /** The resource whose events it cannot store. */
  without: string | undefined;
  /** Awaited in each call, before anything is taken. */
  before: (events: readonly EventRecord[]) => Promise<void> = () => Promise.resolve();

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    this.calls += 1;
    await this.before(events);
    for (const { type, envelope } of events) {
      if (!outgoingGroup(type)) throw new UnknownEventType(type);
      if (envelope.length > eventCharsMax) throw new RecordTooLarge(envelope.length);
    }
    if (this.down) throw new BusUnavailable('closed');
    const stored = events.filter(({ resource }) => resource !== this.without);
    this.taken.push(...stored);
    return {
      stored: stored.map(({ id }) => id),
      failure: stored.length < events.length ? new BusUnavailable('no-broker') : null,
    };
  }

  /** Sequences taken, by tenant and resource, each counted where it came first. */
  sequences(): Map<string, number[]> {
    const seen = new Set<string>();
    const found = new Map<string, number[]>();
    for (const { id, tenantId, resource, envelope } of this.taken) {
      if (seen.has(id)) continue;
      seen.add(id);
      const key = `${tenantId}/${resource}`;
      const { sequence } = JSON.parse(envelope) as { sequence: number };
      found.set(key, [...(found.get(key) ?? []), sequence]);
    }
    return found;
  }
}
