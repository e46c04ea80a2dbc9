import { describe } from '@jest/globals';
import { InProcessBus } from './in-process-bus.js';
import { conformsToTheBus } from './testing/conformance.js';

describe('the bus of a single process conforms to the port:', () => {
  conformsToTheBus(async ({ retry }) => {
    const bus = new InProcessBus({ retry });
    return {
      caller: bus,
      server: bus,
      ready: () => Promise.resolve(),
      deadLetters: async (consumer) =>
        bus.deadLetters
          .filter((letter) => letter.consumer === consumer)
          .map(({ event, cause }) => ({ id: event.id, cause: String(cause) })),
      dispose: () => bus.close(),
    };
  });
});
