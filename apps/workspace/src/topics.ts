import { createTopics } from '@postroom/bus';
import { declaredTopics } from '@postroom/contracts';
import { StartError } from './start-error.js';

/**
 * Creates the missing topics of the product.
 * @throws StartError when the brokers cannot be used
 */
export async function makeTopics(brokers: readonly string[], prefix: string): Promise<void> {
  try {
    await createTopics(brokers, declaredTopics({ prefix }));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `Kafka at ${brokers.join(', ')} cannot be used (KAFKA_BROKERS): ${reason}`,
      { cause },
    );
  }
}
