import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectClient } from './sign-in.js';

export interface ListenerOptions {
  /** The service's URL; the listener holds one connection of its own. */
  readonly url: string;
  /** Delay before reconnecting after a lost connection (500 ms). */
  readonly reconnectMs?: number;
  /** Called for each lost connection. */
  readonly onLoss?: (error: Error) => void;
}

/**
 * Listens to PostgreSQL's NOTIFY, over one connection of its own. A notification is a hint only: it can
 * be lost with the connection, so a listener polls too. After a reconnection every channel's
 * callbacks are called once.
 */
export class Listener {
  private readonly channels = new Map<string, Set<(payload: string) => void>>();
  private client: Client | undefined;
  private readonly closing = new AbortController();
  private connecting: Promise<void> | undefined;

  constructor(private readonly options: ListenerOptions) {}

  /** Calls `wake` at each NOTIFY on the channel, with its payload, which is empty after a reconnection. Resolves once it listens, or has failed to connect. */
  async listen(channel: string, wake: (payload: string) => void): Promise<void> {
    const wakes = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, wakes.add(wake));
    await (this.connecting ??= this.connect());
    // If the connection is lost meanwhile, the next one listens to every channel.
    await this.client?.query(listenOn(channel)).catch(() => undefined);
  }

  /** True while it is connected, which health checks take for the state of the database. */
  get isConnected(): boolean {
    return this.client !== undefined;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting;
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    let client: Client | undefined;
    let lost = false;
    const lose = (error?: Error): void => {
      if (lost) return;
      lost = true;
      this.client = undefined;
      if (this.closing.signal.aborted) return;
      this.options.onLoss?.(error ?? new Error('the connection ended'));
      this.connecting = this.reconnect();
    };
    try {
      client = await connectClient(this.options.url, {
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
      });
      client.on('error', lose).on('end', lose);
      client.on('notification', ({ channel, payload = '' }) => {
        this.wake(channel, payload);
      });
      await client.query([...this.channels.keys()].map(listenOn).join(';'));
      this.client = client;
    } catch (error) {
      await client?.end().catch(() => undefined);
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async reconnect(): Promise<void> {
    const { signal } = this.closing;
    await sleep(this.options.reconnectMs ?? 500, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await this.connect();
    // Notifications sent while there was no connection are lost.
    if (this.client) for (const channel of this.channels.keys()) this.wake(channel);
  }

  private wake(channel: string, payload = ''): void {
    for (const wake of this.channels.get(channel) ?? []) wake(payload);
  }
}

const listenOn = (channel: string): string => `LISTEN "${channel.replaceAll('"', '""')}"`;
