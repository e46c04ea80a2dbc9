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

/** The work that one connection repeats. */
export type Work = (connection: Connection) => Promise<void>;

/** One request a time. It throws an error for an answer that is not 200. */
export const asking =
  (next: NextRequest): Work =>
  async (connection) => {
    await askFor(connection, next(), 200);
  };

/** @returns the body of the answer @throws Error for another status */
export async function askFor(
  connection: Connection,
  request: string | Buffer,
  status: number,
): Promise<string> {
  const answer = await connection.ask(request);
  const body = answer.body.toString();
  if (answer.status === status) return body;
  throw new Error(`answered ${answer.status}: ${body.slice(0, 300)}`);
}

/**
 * Loads a server for a time in a closed loop: each connection sends its next request when it has
 * the answer to the last one.
 *
 * @throws Error for an answer that is not 200
 */
export const load = (
  port: number,
  next: NextRequest,
  ms: number,
  concurrency = busy,
): Promise<LoadResult> => loadWith(port, asking(next), ms, concurrency);

/** The same with work of several requests. */
export async function loadWith(
  port: number,
  work: Work,
  ms: number,
  concurrency = busy,
): Promise<LoadResult> {
  const opening = Array.from({ length: concurrency }, () => Connection.open(port));
  const connections = await Promise.all(opening);
  let answers = 0;
  const began = performance.now();
  const repeat = async (connection: Connection): Promise<void> => {
    while (performance.now() - began < ms) {
      await work(connection);
      answers += 1;
    }
  };
  try {
    await Promise.all(connections.map(repeat));
    return { answers, perSecond: (answers * 1000) / (performance.now() - began) };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** One request on a connection of its own. */
export async function askOnce(port: number, request: string | Buffer): Promise<string> {
  const connection = await Connection.open(port);
  try {
    return await askFor(connection, request, 200);
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
