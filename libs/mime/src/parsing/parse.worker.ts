import { threadId, type MessagePort } from 'node:worker_threads';
import { lowerPriority } from '@postroom/service/threads';
import { contentFingerprint } from './content-fingerprint.js';
import { parseMessage } from './parse-message.js';
import type { ParsedMessage } from './parsed-message.js';

lowerPriority('low');

/** Reported by a thread as it starts to parse: waiting is not timed. */
export interface ParseStart {
  readonly fingerprint: string;
  readonly threadId: number;
  /** The CPU time that the thread had used before. */
  readonly cpu: NodeJS.CpuUsage;
}

/** One message for a thread, and where it reports its start. */
export interface ParseTask {
  readonly raw: Uint8Array;
  readonly returnPath: string | null;
  readonly started: MessagePort;
}

/** A refusal is an answer, so that a rejected task always means that the thread is gone. */
export type ParseAnswer = { readonly fingerprint: string; readonly cpuMs: number } & (
  | { readonly message: ParsedMessage }
  | { readonly refused: string }
);

/** The function that a parsing thread runs. */
export default async function parseTask({
  raw,
  returnPath,
  started,
}: ParseTask): Promise<ParseAnswer> {
  const cpu = process.threadCpuUsage();
  const fingerprint = contentFingerprint(raw);
  started.postMessage({ fingerprint, threadId, cpu } satisfies ParseStart);
  started.close();
  const outcome = await parseMessage(raw, returnPath).then(
    (message) => ({ message }),
    (error: unknown) => ({ refused: String(error) }),
  );
  const { user, system } = process.threadCpuUsage(cpu);
  return { fingerprint, cpuMs: (user + system) / 1000, ...outcome };
}
