import type { Duplex } from 'node:stream';
import { setImmediate as others } from 'node:timers/promises';
import { Query, type Connection, type PoolClient, type QueryResult } from 'pg';
import type { Statement } from './statement.js';

/** From this many bytes on a value goes to the server piece by piece. */
export const largeValueBytes = 1024 * 1024;
const pieceBytes = 256 * 1024;
const bindCode = 0x42;
/** Behind the last value in a Bind message: one format for all columns of the result. */
const tailBytes = 4;

/**
 * Runs a statement with `large` for the value after `values`. The driver would copy it twice and write
 * all of it in one go: of 25 MB, nobody else is served for a tenth of a second. Here it is written as it
 * is, and others come in between its pieces.
 *
 * @throws what failed; when the connection was lost, why it was
 */
export async function rowsWithLarge<R extends object>(
  pool: { connect(): Promise<PoolClient> },
  statement: Statement<R>,
  values: readonly unknown[],
  large: Uint8Array,
): Promise<R[]> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const noteLoss = (error: Error): void => {
    failure ??= error;
  };
  client.on('error', noteLoss);
  try {
    return (await queryWithLarge(client, statement, values, large)).rows;
  } catch (error) {
    // As the pool does it after any query that failed: the connection is closed.
    throw (failure ??= error instanceof Error ? error : new Error(String(error)));
  } finally {
    client.off('error', noteLoss);
    client.release(failure);
  }
}

/**
 * On a client that nobody else uses meanwhile. It leans on the protocol (PostgreSQL, "Message Formats", Bind) and on nothing inside the driver but
 * that it writes a message at a time: an empty value stands for the large one until then.
 */
function queryWithLarge<R extends object>(
  client: PoolClient,
  { text }: Statement<R>,
  values: readonly unknown[],
  large: Uint8Array,
): Promise<QueryResult<R>> {
  return new Promise((resolve, reject) => {
    let written = Promise.resolve();
    // A refusal may come before all is written: until then the client is not to be given back.
    const told = (error: Error | null | undefined, result: unknown): void => {
      void written.then(() => {
        if (error) reject(error);
        else resolve(result as QueryResult<R>);
      });
    };
    const query = new Query({ text, values: [...values, Buffer.alloc(0)] }, told);
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      const { collected, messages } = collecting(connection);
      const refused: unknown = submit(collected);
      if (!refused) written = write(connection.stream, messages, large);
      return refused;
    };
    client.query(query);
  });
}

/** A connection that writes nothing and keeps what it would have written. */
function collecting(connection: Connection): { collected: Connection; messages: Buffer[] } {
  const messages: Buffer[] = [];
  const stream = {
    writable: true,
    write: (message: Buffer) => messages.push(message),
    cork: () => undefined,
    uncork: () => undefined,
  };
  const collected: unknown = Object.create(connection, { stream: { value: stream } });
  return { collected: collected as Connection, messages };
}

/** A connection that breaks meanwhile fails the query by itself. */
async function write(
  stream: Duplex,
  messages: readonly Buffer[],
  large: Uint8Array,
): Promise<void> {
  for (const message of messages) {
    if (message[0] !== bindCode) {
      stream.write(message);
      continue;
    }
    const end = message.length - tailBytes;
    message.writeInt32BE(message.readInt32BE(1) + large.length, 1);
    message.writeInt32BE(large.length, end - 4);
    stream.write(message.subarray(0, end));
    for (let at = 0; at < large.length; at += pieceBytes) {
      await others();
      if (stream.destroyed) return;
      if (!stream.write(large.subarray(at, at + pieceBytes))) await drained(stream);
    }
    stream.write(message.subarray(end));
  }
}

function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}
