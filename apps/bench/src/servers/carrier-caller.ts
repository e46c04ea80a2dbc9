import { ask } from '../bus/ask.js';
import { requestOf } from '../bus/messages.js';
import type { CallerOrder, CallerReport } from '../bus/orders.js';
import type { Calling } from '../carriers/carrier.js';
import { carriers } from '../carriers/index.js';
import { cpuMsSoFar, obey } from '../rig/obey.js';

const triesMax = 5;
let calling: Calling | undefined;

/** The caller's end of one of bench C's carriers; its first reply means that it has started. */
obey(
  async (order: CallerOrder): Promise<CallerReport> => {
    const before = cpuMsSoFar();
    if ('start' in order) {
      calling = await carriers[order.start].call(order.place);
      await firstReply(calling);
      return { slice: null, cpuMs: 0 };
    }
    if (!calling) throw new Error('not started');
    const slice = await ask(calling, order.measure, order.ms);
    return { slice, cpuMs: cpuMsSoFar() - before };
  },
  async () => calling?.close(),
);

/** A consumer that is joining its group may miss earlier records. */
async function firstReply(by: Calling): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await by.ask(requestOf(0, 0));
      return;
    } catch (error) {
      if (tries === triesMax) throw error;
    }
  }
}
