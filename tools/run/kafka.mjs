// This process is the system's Node, from 20 on: what it loads of the product runs there.
import { beginRun, endRun } from '../../libs/testing/jest/test-run.mjs';

/** Why nothing can run over Kafka on this machine, in a sentence; null when it can. Needs a build. */
export async function kafkaMissing() {
  if (process.env.KAFKA_BROKERS) return null;
  const { brokerMissing } = await import('../../libs/local/dist/kafka/jars.js');
  return brokerMissing();
}

/** Runs specs with one broker for all that do not kill it, since each start of one takes seconds of CPU. */
export async function withBroker(work) {
  if (process.env.KAFKA_BROKERS || (await kafkaMissing()) !== null) return work();
  const { startBroker } = await import('../../libs/local/dist/kafka/start-broker.js');
  const folder = await beginRun();
  const broker = await startBroker({ dataDir: folder, log: (line) => console.error(line) });
  process.env.KAFKA_BROKERS = broker.brokers;
  try {
    await work();
  } finally {
    delete process.env.KAFKA_BROKERS;
    await broker.stop();
    await endRun(folder);
  }
}
