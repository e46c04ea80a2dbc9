import { workerData } from 'node:worker_threads';
import type { GetConversation } from '@postroom/contracts';
import { Problem } from '@postroom/contracts/plain';
import type { Reading } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { openBlobs, type BlobsPlace } from '@postroom/persistence/blobs';
import { taskOfThread } from '@postroom/service/threads';
import type { MailConfig } from '../config.js';
import { storeConversation, type StoredAnswer } from './stored-conversation.js';
import { wholeConversation } from './whole-conversation.js';

/** Where a thread of large reads finds conversations, and the store for its answers. */
export type LargeReadPlace = BlobsPlace & Pick<MailConfig, 'databaseUrl'>;

export type LargeReadTask = Pick<Reading, 'caller' | 'tenantId'> & {
  readonly input: GetConversation;
};

/** Null when there is no such conversation any more. */
export type LargeReadAnswer = StoredAnswer | null;

const place = workerData as LargeReadPlace;
// A lost connection fails what is stored just then; the next answer gets another one.
const blobs = openBlobs(place, () => undefined);
const opening = Database.connect({
  url: place.databaseUrl,
  schema: 'mail',
  entities: [],
  poolSize: 1,
});

/** Runs in the thread of large reads. */
export default taskOfThread(
  async ({ caller, tenantId, input }: LargeReadTask): Promise<LargeReadAnswer> => {
    const database = await opening;
    const rows: Reading['rows'] = (statement, values) =>
      database.rows(statement, [tenantId, ...values]);
    try {
      const conversation = await wholeConversation({ caller, rows }, input);
      return await storeConversation(blobs, tenantId, { mailbox: input.mailbox, conversation });
    } catch (error) {
      if (error instanceof Problem && error.code === 'CONVERSATION_NOT_FOUND') return null;
      throw error;
    }
  },
);
