import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { KeyedMutex } from '@postroom/concurrency';
import {
  FileAnswer,
  Problem,
  type BlobStore,
  type Conversation,
  type ConversationAnswer,
  type GetConversation,
} from '@postroom/contracts';
import { blobsToken, type Reading } from '@postroom/operations';
import { FairThread } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import { LRUCache } from 'lru-cache';
import { MailConfig } from '../config.js';
import type { LargeReadAnswer, LargeReadPlace, LargeReadTask } from './large-read.worker.js';
import { storeConversation, type StoredAnswer } from './stored-conversation.js';
import { wholeConversation } from './whole-conversation.js';

/** UTF-16 units; a conversation with more is read in the thread. */
const largeMin = 512 * 1024;
/** Conversations whose size is remembered. */
const rememberedMax = 10_000;
/** Large reads of a workspace, and of all, that wait. */
const waitingMaxPerTenant = 32;
const waitingMax = 256;
/** Of one, once it has begun. */
const runMs = 10_000;
/** Of the thread's heap: texts of 32 MiB as PostgreSQL gives them, and as they are parsed. */
const memoryMaxMb = 384;

type Answer = ConversationAnswer | FileAnswer;

/**
 * Reads whole conversations. Those of many megabytes are read in a thread, one at a time, workspaces in turn; their
 * answer is written into the store of large bodies there, so that nobody waits for the whole of it. Which ones
 * they are is known from the last time; of the first time there is one at once.
 */
@Injectable()
export class ConversationReads implements OnModuleDestroy {
  readonly #large: FairThread<LargeReadTask, LargeReadAnswer>;
  private readonly first = new KeyedMutex();
  private readonly units = new LRUCache<string, number>({ max: rememberedMax });

  constructor(
    @Inject(blobsToken) private readonly blobs: Pick<BlobStore, 'begin'>,
    @Inject(MailConfig)
    { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region }: LargeReadPlace,
  ) {
    this.#large = new FairThread({
      file: threadFile(import.meta.url, 'large-read.worker'),
      workerData: { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region },
      waitingMax,
      waitingMaxPerTenant,
      memoryMaxMb,
    });
  }

  /** @throws Problem CONVERSATION_NOT_FOUND, SERVICE_UNAVAILABLE when too many wait */
  answer(context: Reading, input: GetConversation): Promise<Answer> {
    const key = `${context.tenantId}/${input.id}`;
    const read = async (): Promise<Answer> => {
      const conversation = await wholeConversation(context, input);
      const units = unitsOf(conversation);
      this.units.set(key, units);
      const answer = { mailbox: input.mailbox, conversation };
      if (units < largeMin) return answer;
      return fileAnswer(await storeConversation(this.blobs, context.tenantId, answer));
    };
    const inTurn = (): Promise<Answer> =>
      (this.units.get(key) ?? 0) >= largeMin ? this.inThread(context, input) : read();
    return this.units.has(key) ? inTurn() : this.first.run(key, inTurn);
  }

  onModuleDestroy(): Promise<void> {
    return this.#large.close();
  }

  private async inThread(
    { tenantId, caller, deadlineMs }: Reading,
    input: GetConversation,
  ): Promise<FileAnswer> {
    const limits = { wholeMs: Math.max(0, deadlineMs - Date.now()), runMs };
    const stored = await this.#large
      .run(tenantId, { caller, tenantId, input }, limits)
      .catch((cause: unknown) => {
        throw new Problem('SERVICE_UNAVAILABLE', { cause });
      });
    if (!stored) throw new Problem('CONVERSATION_NOT_FOUND');
    return fileAnswer(stored);
  }
}

const headers = { 'content-type': 'application/json; charset=utf-8' };

const fileAnswer = (stored: StoredAnswer): FileAnswer =>
  new FileAnswer(undefined, headers, null, stored);

/** Of what a sender may make long: bodies, addresses, references and files. */
const unitsOf = ({ messages }: Conversation): number =>
  messages.reduce((sum, message) => {
    const { text, html, extractedText, to, cc, bcc, replyTo, references, attachments } = message;
    const addresses = [to, cc, bcc, replyTo].flat();
    const texts = [
      ...[text, html, extractedText, ...references],
      ...addresses.flatMap(({ email, name }) => [email, name]),
      ...attachments.flatMap(({ filename, contentId }) => [filename, contentId]),
    ];
    return texts.reduce((units, one) => units + (one?.length ?? 0), sum);
  }, 0);
