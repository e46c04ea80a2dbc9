import { bareKafka } from './bare-kafka.js';
import type { Carrier } from './carrier.js';
import { http } from './http.js';
import { kafkaBus } from './kafka-bus.js';
import { nats } from './nats.js';
import { nest } from './nest.js';

export const carrierNames = ['http', 'nats', 'bare-kafka', 'nest', 'kafka-bus'] as const;

export type CarrierName = (typeof carrierNames)[number];

/** What bench C compares. */
export const carriers: Readonly<Record<CarrierName, Carrier>> = {
  http,
  nats,
  'bare-kafka': bareKafka,
  nest,
  'kafka-bus': kafkaBus,
};
