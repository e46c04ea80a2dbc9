import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemberCaller } from '@postroom/access';
import type { StreamEvent, StreamReader, ToldPresence } from '../../access/index.js';
import { writePaced } from './paced-writes.js';

/** A comment line keeps proxies from closing it, at least every 25 s (`decisions.md` §9). */
const heartbeatMs = 15_000;
/** The session is read so often: the stream ends within 30 s of its end. */
const sessionMs = 10_000;
/** The truth, where a notification is a hint. */
const pollMs = 1_000;
/** Presences that wait to be told: more people are not shown. */
const presencesMax = 200;

/** The parts of a stream. */
export interface StreamParts {
  readonly response: ServerResponse;
  readonly reader: StreamReader;
  readonly caller: MemberCaller;
  readonly lastEventId: string | null;
  /** The member as the session has it now; null once it has ended. */
  readonly session: () => Promise<MemberCaller | null>;
}

/** Server-sent events of one reader, until either side ends them. */
export class MemberStream {
  private readonly ending = new AbortController();
  private wakeUp: () => void = () => undefined;
  private isAwake = false;
  private writtenAtMs = performance.now();
  private checkedAtMs = performance.now();
  /** The latest presence of each member at each thing, until it is written. */
  private presences = new Map<string, ToldPresence>();

  constructor(private readonly parts: StreamParts) {
    parts.response.on('close', () => this.end());
  }

  end(): void {
    this.ending.abort();
    this.wake();
  }

  /** There may be something to write. */
  wake(): void {
    this.isAwake = true;
    this.wakeUp();
  }

  /** Queues a presence; it is written at the next look, if this member may see it. */
  present(told: ToldPresence): void {
    const { caller } = this.parts;
    const { by, resource } = told.presence;
    if (told.tenantId !== caller.tenantId || by.id === caller.memberId) return;
    const name = `${by.id} ${resource.id}`;
    if (this.presences.size >= presencesMax && !this.presences.has(name)) return;
    this.presences.set(name, told);
    this.wake();
  }

  async serve(): Promise<void> {
    const { response, reader, lastEventId } = this.parts;
    try {
      let { caller } = this.parts;
      const begun = await reader.findStart(caller, lastEventId);
      let { position } = begun;
      // With an id, so that a reader that is cut off before the first event can resume.
      await this.write(`retry: 2000\nid: ${position}\n\n`);
      if (begun.isGap) await this.write(`id: ${position}\nevent: reset\ndata: {}\n\n`);
      while (!this.ending.signal.aborted) {
        this.isAwake = false;
        const next = await reader.next(caller, position);
        position = next.position;
        for (const event of next.events) await this.write(frameOf(event));
        await this.tellPresences(caller);
        const now = await this.currentCaller(caller);
        if (!now) break;
        caller = now;
        if (!next.isFull) await this.rest();
      }
    } finally {
      this.ending.abort();
      if (!response.destroyed) response.end();
    }
  }

  /** They have no id: who was cut off is told of the next ones. */
  private async tellPresences(caller: MemberCaller): Promise<void> {
    if (this.presences.size === 0) return;
    const told = [...this.presences.values()];
    this.presences = new Map();
    for (const presence of await this.parts.reader.presencesFor(caller, told))
      await this.write(`event: presence\ndata: ${JSON.stringify(presence)}\n\n`);
  }

  /** Waits for a notification or the next look; says now and then that it is alive. */
  private async rest(): Promise<void> {
    if (performance.now() - this.writtenAtMs > heartbeatMs) await this.write(': alive\n\n');
    if (this.isAwake) return;
    const resting = new AbortController();
    this.wakeUp = () => resting.abort();
    await sleep(pollMs, undefined, { signal: resting.signal }).catch(() => undefined);
  }

  private async currentCaller(caller: MemberCaller): Promise<MemberCaller | null> {
    if (performance.now() - this.checkedAtMs < sessionMs) return caller;
    this.checkedAtMs = performance.now();
    return this.parts.session();
  }

  private async write(text: string): Promise<void> {
    this.writtenAtMs = performance.now();
    const { response } = this.parts;
    await writePaced(response, text, this.ending.signal);
    // Before its event comes, which a log without end would never let through.
    if (response.destroyed) this.end();
  }
}

/** Neither type nor data holds a line break: they are a word and JSON. */
const frameOf = ({ position, type, data }: StreamEvent): string =>
  `id: ${position}\nevent: ${type}\ndata: ${data}\n\n`;
