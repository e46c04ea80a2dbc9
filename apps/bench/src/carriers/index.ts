import { bareKafka } from './bare-kafka.js';
import type { Carrier } from './carrier.js';
import { http } from './http.js';
import { kafkaBus } from './kafka-bus.js';

export const carrierNames = ['http', 'bare-kafka', 'kafka-bus'] as const;

export type CarrierName = (typeof carrierNames)[number];

/** The carriers that bench C compares. */
export const carriers: Readonly<Record<CarrierName, Carrier>> = {
  http,
  'bare-kafka': bareKafka,
  'kafka-bus': kafkaBus,
};
