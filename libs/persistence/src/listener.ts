import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface ListenerOptions {
  /** The service's URL; the listener holds one connection of its own. */
  readonly url: string;
  /** Wait before a lost connection is made anew (500 ms). */
  readonly reconnectMs?: number;
  /** Told of each lost connection. */
  readonly onLoss?: (error: Error) => void;
}

/**
 * LISTEN: a wake-up, never the truth. A notice can be lost with the connection, so whoever listens
 * polls too; after each reconnection everyone is woken once.
 */
export class Listener {
  private readonly channels = new Map<string, Set<() => void>>();
  private client: Client | undefined;
  private readonly closing = new AbortController();
  private connecting: Promise<void> | undefined;

  constructor(private readonly options: ListenerOptions) {}

  /** Calls `wake` at each NOTIFY on the channel. Resolves once it listens, or cannot for now. */
  async listen(channel: string, wake: () => void): Promise<void> {
    const wakes = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, wakes.add(wake));
    await (this.connecting ??= this.connect());
    // A connection that is lost meanwhile listens to every channel once it is back.
    await this.client?.query(listenOn(channel)).catch(() => undefined);
  }

  /** Whether it is connected: its connection says how the database is doing. */
  get isConnected(): boolean {
    return this.client !== undefined;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting;
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    let lost = false;
    const lose = (error?: Error): void => {
      if (lost) return;
      lost = true;
      this.client = undefined;
      if (this.closing.signal.aborted) return;
      this.options.onLoss?.(error ?? new Error('the connection ended'));
      this.connecting = this.reconnect();
    };
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ channel }) => {
      this.wake(channel);
    });
    try {
      await client.connect();
      await client.query([...this.channels.keys()].map(listenOn).join(';'));
      this.client = client;
    } catch (error) {
      await client.end().catch(() => undefined);
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async reconnect(): Promise<void> {
    const { signal } = this.closing;
    await sleep(this.options.reconnectMs ?? 500, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await this.connect();
    // What was notified meanwhile is lost.
    if (this.client) for (const channel of this.channels.keys()) this.wake(channel);
  }

  private wake(channel: string): void {
    for (const wake of this.channels.get(channel) ?? []) wake();
  }
}

const listenOn = (channel: string): string => `LISTEN "${channel.replaceAll('"', '""')}"`;
