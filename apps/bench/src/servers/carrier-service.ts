import { answerTo } from '../bus/messages.js';
import type { ServiceOrder, ServiceReport } from '../bus/orders.js';
import type { Serving } from '../carriers/carrier.js';
import { carriers } from '../carriers/index.js';
import { cpuMsSoFar, obey } from '../rig/obey.js';

let serving: Serving | undefined;

/** The service's end of one of bench C's carriers. */
obey(
  async (order: ServiceOrder): Promise<ServiceReport> => {
    if (order !== 'cpu') serving = await carriers[order.start].serve(order.place, answerTo);
    return { address: serving?.address ?? null, cpuMs: cpuMsSoFar() };
  },
  async () => serving?.close(),
);
