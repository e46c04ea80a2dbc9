import { afterAll, beforeAll, describe } from '@jest/globals';
import { whereThere } from '@postroom/testing';
import { conformsToTheBus } from '../testing/conformance.js';
import {
  brokerForSpecs,
  noBroker,
  openKafkaWorld,
  type SpecBroker,
} from '../testing/kafka-world.js';

whereThere({ missing: noBroker }, describe)('the bus on Kafka conforms to the port:', () => {
  let broker: SpecBroker;
  beforeAll(async () => {
    broker = await brokerForSpecs();
  });
  afterAll(() => broker.stop());

  conformsToTheBus((options) => openKafkaWorld(broker.brokers, options));
});
