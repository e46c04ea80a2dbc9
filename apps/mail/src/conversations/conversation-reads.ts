import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { KeyedMutex } from '@postroom/concurrency';
import {
  FileAnswer,
  type Conversation,
  type ConversationAnswer,
  type GetConversation,
} from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { blobsToken, type Reading } from '@postroom/operations';
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import {
  bodiesAsJson,
  largeMin,
  wholeConversation,
  type ReadConversation,
} from './whole-conversation.js';

/** Conversations of which it is remembered whether they are large. */
const rememberedMax = 10_000;
const pauseMaxMs = 1_000;

const noBodies = { text: undefined, html: undefined, extractedText: undefined };

type Answer = ConversationAnswer | FileAnswer;

/**
 * Reads whole conversations. Large ones (many megabytes) are read one at a time, fairly between workspaces, with a
 * pause as long as each took, a second at most. Their answer is read and written into the blob store message by message,
 * so that no two are in memory. That they are large is remembered from the last read; first reads of a conversation are
 * serialised.
 */
@Injectable()
export class ConversationReads {
  private readonly large = new Budget(limits.largeConversations);
  private readonly first = new KeyedMutex();
  private readonly isLarge = new LRUCache<string, boolean>({ max: rememberedMax });

  constructor(@Inject(blobsToken) private readonly blobs: Pick<BlobStore, 'createWriter'>) {}

  /** @throws Problem CONVERSATION_NOT_FOUND, LimitReached when too many wait */
  answer(context: Reading, input: GetConversation): Promise<Answer> {
    const key = `${context.tenantId}/${input.id}`;
    const read = async (): Promise<Answer> => {
      const found = await wholeConversation(context, input);
      const { conversation, apart } = found;
      const isLarge = apart.size > 0 || unitsOf(conversation) >= largeMin;
      this.isLarge.set(key, isLarge);
      const { mailbox } = input;
      return isLarge ? this.storeAnswer(context, mailbox, found) : { mailbox, conversation };
    };
    const inTurn = (): Promise<Answer> =>
      this.isLarge.get(key) === true ? this.readAlone(context, read) : read();
    return this.isLarge.has(key) ? inTurn() : this.first.runInOrder(key, inTurn);
  }

  /** The answer as JSON, in the store of large bodies. */
  private async storeAnswer(
    context: Reading,
    mailbox: string,
    { conversation: { messages, ...conversation }, apart }: ReadConversation,
  ): Promise<FileAnswer> {
    const writer = this.blobs.createWriter(context.tenantId);
    let size = 0;
    const append = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text);
      size += bytes.length;
      await writer.append(bytes);
    };
    const head = JSON.stringify({ mailbox, conversation });
    await append(`${head.slice(0, -'}}'.length)},"messages":[`);
    for (const [i, message] of messages.entries()) {
      const separator = i > 0 ? ',' : '';
      if (apart.has(message.id)) {
        await append(`${separator}${JSON.stringify({ ...message, ...noBodies }).slice(0, -1)},`);
        await append((await bodiesAsJson(context, message)).slice(1));
      } else await append(`${separator}${JSON.stringify(message)}`);
    }
    await append(']}}');
    await writer.finish();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return new FileAnswer(undefined, headers, null, { reference: writer.reference, size });
  }

  /** Answers as soon as it is read; the next one begins after the pause. */
  private readAlone(
    { tenantId, deadlineMs }: Reading,
    read: () => Promise<Answer>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const task = async (): Promise<void> => {
        const startedMs = performance.now();
        await read().then(resolve, reject);
        await sleep(Math.min(performance.now() - startedMs, pauseMaxMs));
      };
      const waitMaxMs = deadlineMs - Date.now();
      this.large.runInTurn({ workspace: tenantId }, task, { waitMaxMs }).catch(reject);
    });
  }
}

/** The length of all that a sender may make long: bodies, addresses, references and files. */
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
