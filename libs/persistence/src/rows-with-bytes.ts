import type { Duplex } from 'node:stream';
import { Query, type Connection, type PoolClient, type QueryResult } from 'pg';
import type { Statement } from './statement.js';

const bindCode = 0x42;
/** Behind the last value in a Bind message: one format for all columns of the result. */
const tailBytes = 4;

/**
 * Runs a statement with `bytes` for the value after `values`, written from where they stand: the driver
 * would copy them twice. Some hundred KiB at most, or others wait for the write.
 *
 * @throws what failed; when the connection was lost, why it was
 */
export async function rowsWithBytes<R extends object>(
  pool: { connect(): Promise<PoolClient> },
  statement: Statement<R>,
  values: readonly unknown[],
  bytes: Uint8Array,
): Promise<R[]> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const noteLoss = (error: Error): void => {
    failure ??= error;
  };
  client.on('error', noteLoss);
  try {
    return (await queryWithBytes(client, statement, values, bytes)).rows;
  } catch (error) {
    // As the pool does it after any query that failed: the connection is closed.
    throw (failure ??= error instanceof Error ? error : new Error(String(error)));
  } finally {
    client.off('error', noteLoss);
    client.release(failure);
  }
}

/**
 * On a client that nobody else uses meanwhile. It leans on the protocol (PostgreSQL, "Message Formats",
 * Bind) and on nothing inside the driver but that it writes a message at a time: an empty value stands
 * for the bytes until then.
 */
function queryWithBytes<R extends object>(
  client: PoolClient,
  { text }: Statement<R>,
  values: readonly unknown[],
  bytes: Uint8Array,
): Promise<QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const told = (error: Error | null | undefined, result: unknown): void => {
      if (error) reject(error);
      else resolve(result as QueryResult<R>);
    };
    const query = new Query({ text, values: [...values, Buffer.alloc(0)] }, told);
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      const { collected, messages } = collecting(connection);
      const refused: unknown = submit(collected);
      if (!refused) for (const message of messages) write(connection.stream, message, bytes);
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
function write(stream: Duplex, message: Buffer, bytes: Uint8Array): void {
  if (message[0] !== bindCode) {
    stream.write(message);
    return;
  }
  const end = message.length - tailBytes;
  message.writeInt32BE(message.readInt32BE(1) + bytes.length, 1);
  message.writeInt32BE(bytes.length, end - 4);
  stream.write(message.subarray(0, end));
  stream.write(bytes);
  stream.write(message.subarray(end));
}
