import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { kafkaClient, silent } from '../kafka/client.js';

const waitMsMax = 60_000;
/** Enough for each of the eight partitions that groups are spread over to have some. */
const groups = Array.from({ length: 16 }, (_, i) => `probe-${i}`);

/**
 * Waits until consumer groups can be joined. A new broker makes their topic at the first question
 * about a group, and one that has restarted loads it; whoever joins meanwhile is refused.
 */
export async function untilGroupsWork(address: string): Promise<void> {
  const kafka = kafkaClient({ brokers: [address], instance: 'probe', log: silent });
  const admin = kafka.admin({ retry: { initialRetryTime: 50, maxRetryTime: 100, retries: 100 } });
  const deadline = performance.now() + waitMsMax;
  try {
    await admin.connect();
    // What stays missing after that is for the services to wait for.
    while (performance.now() < deadline && !(await isLoaded(admin))) await sleep(50);
  } finally {
    await admin.disconnect();
  }
}

/** Offsets are read from the coordinator's memory, which refuses until it has loaded. */
async function isLoaded(admin: Admin): Promise<boolean> {
  const asked = groups.map((groupId) => admin.fetchOffsets({ groupId, topics: [] }));
  const answered = await Promise.allSettled(asked);
  return answered.every(({ status }) => status === 'fulfilled');
}
