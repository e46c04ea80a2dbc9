import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FairQueue, KeyedMutex, QueueRefused } from '@postroom/concurrency';
import { Problem, type Conversation, type GetConversation } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { LRUCache } from 'lru-cache';
import { wholeConversation } from './whole-conversation.js';

/** UTF-16 units; a conversation with more is read while no other such one is. */
const largeMin = 512 * 1024;
/** Conversations whose size is remembered. */
const rememberedMax = 10_000;
/** Large reads of a workspace, and of all, that wait. */
const waitingMaxPerKey = 32;
const waitingMax = 256;
const pauseMaxMs = 1_000;

/**
 * Reads whole conversations. Those of many megabytes, which hold up everything else while they are made
 * into an answer, come one at a time, workspaces in turn, with a pause as long as each took, a second at
 * most. Which ones they are is known from the last time; of the first time there is one at once.
 */
@Injectable()
export class ConversationReads {
  private readonly large = new FairQueue({ capacity: 1, waitingMaxPerKey, waitingMax });
  private readonly first = new KeyedMutex();
  private readonly units = new LRUCache<string, number>({ max: rememberedMax });

  /** @throws Problem CONVERSATION_NOT_FOUND, SERVICE_UNAVAILABLE when too many wait */
  whole(context: Reading, input: GetConversation): Promise<Conversation> {
    const key = `${context.tenantId}/${input.id}`;
    const read = async (): Promise<Conversation> => {
      const found = await wholeConversation(context, input);
      this.units.set(key, unitsOf(found));
      return found;
    };
    const inTurn = (): Promise<Conversation> =>
      (this.units.get(key) ?? 0) >= largeMin ? this.alone(context, read) : read();
    return this.units.has(key) ? inTurn() : this.first.run(key, inTurn);
  }

  /** Answers as soon as it is read; the next one begins after the pause. */
  private alone(
    { tenantId, deadlineMs }: Reading,
    read: () => Promise<Conversation>,
  ): Promise<Conversation> {
    return new Promise((resolve, reject) => {
      const task = async (): Promise<void> => {
        const begunMs = performance.now();
        await read().then(resolve, reject);
        await sleep(Math.min(performance.now() - begunMs, pauseMaxMs));
      };
      this.large
        .run(task, { key: tenantId, waitMaxMs: deadlineMs - Date.now() })
        .catch((cause: unknown) => {
          const isRefused = cause instanceof QueueRefused;
          reject(isRefused ? new Problem('SERVICE_UNAVAILABLE', { cause }) : (cause as Error));
        });
    });
  }
}

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
