import { DatabaseError, type Pool, type PoolClient, type QueryResult } from 'pg';
import { inSpan } from '@postroom/tracing';
import type { Statement } from './statement.js';

const statementFacts = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

/** A connection of a pool while one caller uses it. */
export class Session {
  private failure: Error | undefined;

  private constructor(readonly client: PoolClient) {
    client.on('error', this.fail);
  }

  /**
   * Gives `work` a connection, which is closed afterwards if it cannot be used again.
   *
   * @param undo makes the connection as good as before when `work` fails; without it, it is closed
   * @throws what `work` throws; when the connection was lost, why it was
   */
  static async use<T>(
    pool: Pool,
    work: (session: Session) => Promise<T>,
    undo?: (session: Session) => Promise<unknown>,
  ): Promise<T> {
    const session = new Session(await pool.connect());
    try {
      return await work(session);
    } catch (error) {
      const reason = session.failure ?? error;
      if (undo) await undo(session);
      else session.fail(error as Error);
      throw reason;
    } finally {
      session.client.off('error', session.fail);
      session.client.release(session.failure);
    }
  }

  /**
   * Runs a prepared statement, pipelined: it does not wait for the answer to the one before.
   *
   * @throws DatabaseError when PostgreSQL refuses it
   */
  async query<R extends object>(
    { name, text }: Statement<R>,
    values: readonly unknown[],
  ): Promise<QueryResult<R>> {
    try {
      return await inSpan(name, statementFacts, () =>
        this.client.query<R>({ name, text, values: [...values] }),
      );
    } catch (error) {
      // After a value that it cannot encode, the driver takes a statement that it closed for prepared.
      if (!(error instanceof DatabaseError)) this.fail(error as Error);
      throw error;
    }
  }

  private readonly fail = (error: Error): void => {
    this.failure ??= error;
  };
}
