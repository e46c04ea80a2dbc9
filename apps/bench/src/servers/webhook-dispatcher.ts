import { setTimeout as sleep } from 'node:timers/promises';
import { InProcessBus } from '@postroom/bus';
import { newId } from '@postroom/contracts';
import type { Service } from '@postroom/operations';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { createWebhooksApp, WebhooksConfig } from '@postroom/webhook-dispatcher';
import { cpuMsSoFar, obey } from '../rig/obey.js';
import type { DispatcherOrder, DispatcherReport } from '../webhooks/orders.js';

/** The webhook dispatcher as a process, on a bus of its own. */
const bus = new InProcessBus();
let service: Service | undefined;

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  const log = createLog({ level: 'warn', format: 'plain' });
  const parts = { bus, log, health: new Health([]), metrics: new Metrics() };
  service = await createWebhooksApp(loadConfig(WebhooksConfig, env), parts);
  await service.listen();
}

/** Events of as many resources, at their times, whatever became of those before. */
async function emit(tenantId: string, perSecond: number, ms: number): Promise<void> {
  const began = performance.now();
  const emitted: Promise<unknown>[] = [];
  for (let i = 0; i < (perSecond * ms) / 1000; i += 1) {
    await sleep(Math.max(0, began + (i * 1000) / perSecond - performance.now()));
    const [id, resource] = [newId('evn'), newId('ctc')];
    const occurredAt = new Date().toISOString();
    const envelope = JSON.stringify({
      id,
      type: 'contact.created',
      occurredAt,
      sequence: 1,
      data: {},
    });
    emitted.push(bus.emit([{ id, type: 'contact.created', tenantId, resource, envelope }]));
  }
  await Promise.all(emitted);
}

obey(
  async (order: DispatcherOrder): Promise<DispatcherReport> => {
    if (order === 'cpu') return { cpuMs: cpuMsSoFar() };
    if ('start' in order) await start(order.start);
    else await emit(order.emit.tenantId, order.emit.perSecond, order.emit.ms);
    return {};
  },
  async () => service?.close(),
);
