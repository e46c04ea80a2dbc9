import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Admin, type KafkaConfig } from 'kafkajs';
import { SetupError } from '@postroom/service/setup-error';

/** The addresses of brokers, and the credentials of the user who may do everything. */
export type AdminAccess = Pick<KafkaConfig, 'ssl' | 'sasl'> & { readonly brokers: string[] };

const waitMsMax = 180_000;
/** Enough that each of the eight partitions of the offsets topic has some. */
const groups = Array.from({ length: 16 }, (_, i) => `probe-${i}`);

/**
 * Waits until consumer groups can be joined. A new broker creates the offsets topic at the first request
 * for a group, and a restarted broker loads it; until then joining is refused. If they cannot be joined
 * within three minutes, the services go on waiting.
 */
export async function untilGroupsWork(access: AdminAccess): Promise<void> {
  await untilTrue(access, 50, coordinatorIsLoaded);
}

/**
 * Waits until every copy of every topic is up to date.
 * @throws SetupError when a copy does not catch up
 */
export async function untilInSync(access: AdminAccess): Promise<void> {
  const isInSync = await untilTrue(
    access,
    200,
    async (admin) =>
      (await admin.describeCluster()).brokers.length === access.brokers.length &&
      (await copiesBehind(admin)) === 0,
  );
  if (!isInSync) throw new SetupError('A broker does not catch up.');
}

/** @returns whether it became true in time */
async function untilTrue(
  access: AdminAccess,
  pauseMs: number,
  test: (admin: Admin) => Promise<boolean>,
): Promise<boolean> {
  const retry = { initialRetryTime: 50, maxRetryTime: 100, retries: 100 };
  const admin = new Kafka({ ...access, logLevel: logLevel.NOTHING }).admin({ retry });
  const deadline = performance.now() + waitMsMax;
  try {
    await admin.connect();
    while (performance.now() < deadline) {
      if (await test(admin)) return true;
      await sleep(pauseMs);
    }
    return false;
  } finally {
    await admin.disconnect();
  }
}

/** The coordinator refuses to read offsets until it has loaded them. */
async function coordinatorIsLoaded(admin: Admin): Promise<boolean> {
  const requests = groups.map((groupId) => admin.fetchOffsets({ groupId, topics: [] }));
  const results = await Promise.allSettled(requests);
  return results.every(({ status }) => status === 'fulfilled');
}

async function copiesBehind(admin: Admin): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata();
  return topics
    .flatMap(({ partitions }) => partitions)
    .filter(({ isr, replicas }) => isr.length < replicas.length).length;
}
