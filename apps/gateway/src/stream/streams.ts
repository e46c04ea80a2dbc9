import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InFlight } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import { logToken } from '@postroom/operations';
import type { Listener } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { MemberStream, type StreamParts } from './member-stream.js';
import { StreamReader } from './stream-reader.js';

/** Open at a time, of one member and in one gateway. */
const ofMemberMax = 10;
const ofGatewayMax = 1_000;

/** The streams of a gateway: woken by a notification, ended before the gateway stops. */
@Injectable()
export class Streams implements OnModuleDestroy {
  private readonly open = new Map<MemberStream, string>();
  private readonly running = new InFlight();

  constructor(
    private readonly reader: StreamReader,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** Resolves once it listens. */
  watch(listener: Listener): Promise<void> {
    return listener.listen('stream', () => {
      for (const stream of this.open.keys()) stream.wake();
    });
  }

  /** @throws Problem RATE_LIMITED when a member, or all of them, have too many */
  requireCapacity({ memberId }: { readonly memberId: string }): void {
    const own = [...this.open.values()].filter((one) => one === memberId).length;
    if (own < ofMemberMax && this.open.size < ofGatewayMax) return;
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': '10' } });
  }

  /** Serves a reader until either side ends it. */
  async serve(parts: Omit<StreamParts, 'reader'>): Promise<void> {
    const stream = new MemberStream({ ...parts, reader: this.reader });
    this.open.set(stream, parts.caller.memberId);
    try {
      await this.running.track(() => stream.run());
    } catch (err) {
      // Its reader comes again, and says what it has seen last.
      this.log.warn({ err }, 'a member stream ended by an error');
    } finally {
      this.open.delete(stream);
    }
  }

  async onModuleDestroy(): Promise<void> {
    for (const stream of this.open.keys()) stream.end();
    await this.running.none();
  }
}
