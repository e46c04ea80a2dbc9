import type { CarrierName } from '../carriers/index.js';
import type { CarrierAddress } from '../carriers/carrier.js';
import type { Slice } from './ask.js';
import type { Scenario } from './scenarios.js';

/** The first order to either end. */
export interface Start {
  readonly start: CarrierName;
  readonly place: CarrierAddress;
}

/** An order to the caller. */
export interface Measure {
  readonly measure: Scenario;
  readonly ms: number;
}

/** An order to the service. */
export type ServiceOrder = Start | 'cpu';
export type CallerOrder = Start | Measure;

/** A report of the service: its address, or the CPU time that it has used so far. */
export interface ServiceReport {
  readonly address: string | null;
  readonly cpuMs: number;
}

/** A report of the caller, with the CPU time that it used meanwhile. */
export interface CallerReport {
  readonly slice: Slice | null;
  readonly cpuMs: number;
}
