/** Why nothing can run over Kafka on this machine, in a sentence; null when it can. Needs a build. */
export async function kafkaMissing() {
  if (process.env.KAFKA_BROKERS) return null;
  const { brokerMissing } = await import('../../libs/bus/dist/broker/index.js');
  return brokerMissing();
}
