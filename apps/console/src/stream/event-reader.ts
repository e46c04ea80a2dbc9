import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { memberHeader, urlOf } from '../api/api.js';

/** An event of the members' stream (`decisions.md` §9): what changed, never its content. */
export interface StreamEvent {
  /** As `conversation.changed`, `approval.created`, `presence`, `reset`. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The server writes a line at least every 25 seconds. */
const silenceMaxMs = 40_000;
const delayMaxMs = 30_000;

interface ReaderParts {
  readonly onEvent: (event: StreamEvent) => void;
  /** Called with true once the stream is open and with false when it is lost. */
  readonly onConnection: (isOpen: boolean) => void;
  /** Resolves when the member has signed in again. */
  readonly onSessionEnd: () => Promise<unknown>;
}

/**
 * Reads the stream until the signal ends it, and comes back after each break with the last id it has seen. By `fetch`
 * and not by EventSource, which shows neither 401 nor 429 and cannot name an id after a reload of its own.
 */
export async function readStream(parts: ReaderParts, signal: AbortSignal): Promise<void> {
  const seen: { id: string | null } = { id: null };
  let failures = 0;
  while (!signal.aborted) {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    try {
      const response = await fetch(urlOf('/stream'), {
        headers: { ...memberHeader(), ...(seen.id !== null && { 'last-event-id': seen.id }) },
        cache: 'no-store',
        signal: either,
      });
      if (response.status === 401) {
        await parts.onSessionEnd();
        continue;
      }
      if (!response.ok || !response.body)
        throw new Error(`The stream answered ${response.status}.`);
      failures = 0;
      parts.onConnection(true);
      await readBlocks(response.body, silence, (message) => {
        if (message.id !== undefined) seen.id = message.id;
        parts.onEvent({ type: message.event ?? 'message', data: dataOf(message.data) });
      });
    } catch {
      // Whatever broke it, the stream is read again after a while.
    }
    parts.onConnection(false);
    // oxlint-disable-next-line no-useless-assignment -- the next failure counts on from it
    await pause(Math.min(delayMaxMs, 500 * 2 ** failures++) * (0.5 + Math.random()), signal);
  }
}

async function readBlocks(
  body: ReadableStream<Uint8Array>,
  silence: AbortController,
  onMessage: (message: EventSourceMessage) => void,
): Promise<void> {
  let timer = setTimeout(() => silence.abort(), silenceMaxMs);
  const parser = createParser({ onEvent: onMessage });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMaxMs);
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}

function dataOf(text: string): StreamEvent['data'] {
  try {
    return JSON.parse(text) as StreamEvent['data'];
  } catch {
    return {};
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
    // Back on the network, there is no reason to wait.
    addEventListener('online', () => resolve(), { once: true, signal });
  });
