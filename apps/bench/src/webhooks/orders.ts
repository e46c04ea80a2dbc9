/** The orders for the processes of the bench, and their answers. */

/** To the receiver. */
export type ReceiverOrder = 'listen' | 'latencies';
export interface ReceiverReport {
  readonly port?: number;
  /** Between an event's time and its arrival, milliseconds; since they were last asked for. */
  readonly latencies?: readonly number[];
}

/** To the dispatcher: its environment, then events to emit at a pace, or the CPU time it has used. */
export type DispatcherOrder =
  | 'cpu'
  | { readonly start: Readonly<Record<string, string>> }
  | {
      readonly emit: { readonly tenantId: string; readonly perSecond: number; readonly ms: number };
    };

export interface DispatcherReport {
  readonly cpuMs?: number;
}

/** To the twin: how much to post, and how much of it at once. */
export interface TwinOrder {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly count: number;
  readonly atOnce: number;
}
export interface TwinReport {
  readonly ms: number;
  readonly cpuMs: number;
}
