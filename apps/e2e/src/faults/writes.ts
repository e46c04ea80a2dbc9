import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicApi } from '../public-api.js';
import { type Comment, commentOf, conversationOf } from '../wire.js';
import type { Load, Write } from './load.js';

const repeatWithinMs = 30_000;
const repeatAfterMs = 500;

/** All comments by text; a text that occurs twice is a write that was applied twice. */
export async function commentsByText(
  api: PublicApi,
  mailbox: string,
  conversations: readonly string[],
): Promise<ReadonlyMap<string, readonly Comment[]>> {
  const all = new Map<string, Comment[]>();
  for (const id of conversations) {
    const answer = await api.get(`/v1/conversations/${id}`, { mailbox });
    for (const comment of conversationOf(answer).comments) {
      all.set(comment.text, [...(all.get(comment.text) ?? []), comment]);
    }
  }
  return all;
}

/** Repeats a write until it succeeds. @returns its comment */
export async function insist(load: Load, write: Write): Promise<Comment> {
  const deadlineMs = performance.now() + repeatWithinMs;
  for (;;) {
    const answer = await load.repeat(write);
    if (answer.status === 200) return commentOf(answer);
    if (performance.now() > deadlineMs) {
      throw new Error(`a repeated write is answered ${answer.status}: ${answer.text}`);
    }
    await sleep(repeatAfterMs);
  }
}
