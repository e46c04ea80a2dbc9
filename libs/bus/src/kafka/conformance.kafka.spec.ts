import { afterAll, beforeAll, describe } from '@jest/globals';
import { conformsToTheBus } from '../testing/conformance.js';
import {
  brokerForSpecs,
  noBroker,
  openKafkaWorld,
  type SpecBroker,
} from '../testing/kafka-world.js';

const overKafka = noBroker === null ? describe : describe.skip;

overKafka(
  `the bus on Kafka conforms to the port${noBroker ? ` (skipped: ${noBroker})` : ''}:`,
  () => {
    let broker: SpecBroker;
    beforeAll(async () => {
      broker = await brokerForSpecs();
    });
    afterAll(() => broker.stop());

    conformsToTheBus((options) => openKafkaWorld(broker.brokers, options));
  },
);
