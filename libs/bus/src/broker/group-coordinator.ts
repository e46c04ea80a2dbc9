import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { kafkaClient, silent } from '../kafka/client.js';
import type { KafkaPlace } from '../kafka/security.js';

const waitMsMax = 60_000;
/** Enough that each of the eight partitions of the offsets topic has some. */
const groups = Array.from({ length: 16 }, (_, i) => `probe-${i}`);

/**
 * Waits until consumer groups can be joined. A new broker creates the offsets topic at the first request
 * for a group, and a restarted broker loads it; until then joining is refused.
 */
export async function untilGroupsWork(place: KafkaPlace): Promise<void> {
  const kafka = kafkaClient({ ...place, instance: 'probe', log: silent });
  const admin = kafka.admin({ retry: { initialRetryTime: 50, maxRetryTime: 100, retries: 100 } });
  const deadline = performance.now() + waitMsMax;
  try {
    await admin.connect();
    // If they cannot be joined by then, the services go on waiting.
    while (performance.now() < deadline && !(await isLoaded(admin))) await sleep(50);
  } finally {
    await admin.disconnect();
  }
}

/** The coordinator refuses to read offsets until it has loaded them. */
async function isLoaded(admin: Admin): Promise<boolean> {
  const requests = groups.map((groupId) => admin.fetchOffsets({ groupId, topics: [] }));
  const results = await Promise.allSettled(requests);
  return results.every(({ status }) => status === 'fulfilled');
}
