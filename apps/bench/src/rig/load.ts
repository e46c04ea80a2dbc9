import { Connection } from './connection.js';

/** Requests in flight: enough to keep a server's thread and its pool busy. */
const busy = 16;
const answersWithinMs = 30_000;

/** The next request to send, head and body. */
export type NextRequest = () => string | Buffer;

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
}

/**
 * Loads a server for a time in a closed loop: each connection sends its next request when it has
 * the answer to the last one.
 *
 * @throws Error for an answer that is not 200
 */
export async function load(
  port: number,
  next: NextRequest,
  ms: number,
  concurrency = busy,
): Promise<LoadResult> {
  const opening = Array.from({ length: concurrency }, () => Connection.open(port));
  const connections = await Promise.all(opening);
  let answers = 0;
  const began = performance.now();
  const ask = async (connection: Connection): Promise<void> => {
    while (performance.now() - began < ms) {
      const { status, body } = await connection.ask(next());
      if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
      answers += 1;
    }
  };
  try {
    await Promise.all(connections.map(ask));
    return { answers, perSecond: (answers * 1000) / (performance.now() - began) };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** One request on a connection of its own. */
export async function askOnce(port: number, request: string | Buffer): Promise<string> {
  const connection = await Connection.open(port);
  try {
    const { status, body } = await connection.ask(request);
    if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
    return body.toString();
  } finally {
    connection.close();
  }
}

/** Asks until both ends of the bus have joined their groups: before, a request has no reply. */
export async function firstAnswer(port: number, next: NextRequest): Promise<void> {
  const deadlineMs = performance.now() + answersWithinMs;
  for (;;) {
    try {
      await askOnce(port, next());
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
  }
}
