import { KafkaBus } from '@postroom/bus';
import { createLog } from '@postroom/service';
import type { Setup } from '../rig/setup.js';
import type { Listening } from './serve.js';

/** Runs a part of the product in this process, connected to the others over Kafka. */
export async function onKafka(
  instance: string,
  setup: Setup,
  start: (setup: Setup, bus: KafkaBus) => Promise<Listening>,
): Promise<Listening> {
  const brokers = (setup.brokers ?? '').split(',');
  const log = createLog({ level: 'error', format: 'plain' });
  const name = `${instance}-${process.pid}`;
  const bus = await KafkaBus.connect({ brokers, instance: name, log, signatures: null });
  const part = await start(setup, bus);
  return {
    port: part.port,
    async close() {
      await part.close();
      await bus.close();
    },
  };
}
