import type { MessagePort } from 'node:worker_threads';
import { parseMessage } from './parse-message.js';
import type { ParsedMessage } from './parsed-message.js';

/** One message for a thread; it says on the port when it begins, so that waiting is not timed. */
export interface ParseTask {
  readonly raw: Uint8Array;
  readonly started: MessagePort;
}

/** A refusal is an answer, so that a rejected task always means that the thread is gone. */
export type ParseAnswer = { readonly message: ParsedMessage } | { readonly refused: string };

/** What a parsing thread runs. */
export default async function parseTask({ raw, started }: ParseTask): Promise<ParseAnswer> {
  started.postMessage(null);
  started.close();
  try {
    return { message: await parseMessage(raw) };
  } catch (error) {
    return { refused: String(error) };
  }
}
