import { hashOf, type Received } from '@postroom/testing';

/** Counts what endpoints get, POST by POST, and keeps no body: a campaign has hundreds of thousands. */
export class WebhookTally {
  posts = 0;
  /** Arrival of the last POST. */
  lastMs = 0;
  /** Attempts that came twice, or beyond the fourth. */
  readonly surplus: string[] = [];
  /** Events whose bytes were not the same each time. */
  readonly altered: string[] = [];

  private readonly eventsByPath = new Map<string, Set<string>>();
  private readonly attempts = new Map<string, Set<string>>();
  private readonly hashes = new Map<string, string>();

  add(received: Received): void {
    const { path, headers, atMs } = received;
    const [event, delivery, attempt] = ['webhook-id', 'x-svc-delivery', 'x-svc-attempt'].map(
      (name) => String(headers[name]),
    ) as [string, string, string];
    this.posts += 1;
    this.lastMs = atMs;
    entry(this.eventsByPath, path).add(event);
    const made = entry(this.attempts, delivery);
    if (made.has(attempt) || !/^[1-4]$/.test(attempt)) this.surplus.push(`${delivery} ${attempt}`);
    made.add(attempt);
    const hash = hashOf(received);
    if ((this.hashes.get(event) ?? hash) !== hash) this.altered.push(event);
    this.hashes.set(event, hash);
  }

  /** Different events that have reached an endpoint. */
  eventsAt(path: string): number {
    return this.eventsByPath.get(path)?.size ?? 0;
  }

  /** Deliveries of which some attempt arrived, but not the first: that one was cut before it was sent. */
  get firstsCut(): number {
    return [...this.attempts.values()].filter((made) => !made.has('1')).length;
  }
}

function entry(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set();
  map.set(key, found);
  return found;
}
