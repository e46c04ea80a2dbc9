import type { CarrierName } from '../carriers/index.js';
import type { Place } from '../carriers/carrier.js';
import type { Slice } from './ask.js';
import type { Scenario } from './scenarios.js';

/** To a process of either end, first of all. */
export interface Start {
  readonly start: CarrierName;
  readonly place: Place;
}

/** To the caller's end. */
export interface Measure {
  readonly measure: Scenario;
  readonly ms: number;
}

/** To the service's end. */
export type ServiceOrder = Start | 'cpu';
export type CallerOrder = Start | Measure;

/** Of the service's end: where it is, or the CPU time it has used so far. */
export interface ServiceReport {
  readonly address: string | null;
  readonly cpuMs: number;
}

/** Of the caller's end, with the CPU time it used meanwhile. */
export interface CallerReport {
  readonly slice: Slice | null;
  readonly cpuMs: number;
}
