import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
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
        this.result<R>({ name, text, values: [...values] }),
      );
    } catch (error) {
      Error.captureStackTrace(error as Error);
      // After a value that it cannot encode, the driver takes a statement that it closed for prepared.
      if (!(error instanceof DatabaseError)) this.fail(error as Error);
      throw error;
    }
  }

  /** Runs BEGIN, COMMIT or ROLLBACK, pipelined too. */
  command(text: string): Promise<QueryResult> {
    return this.result({ text });
  }

  /**
   * By a callback: the promise that pg makes keeps its result, and all that waits for it, past V8's quick
   * collections, which cost a third of a list's CPU time.
   */
  private result<R extends object>(config: QueryConfig): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      this.client.query<R>(config, (error, result) => {
        // Null when there is none, which its declaration does not say.
        if ((error as Error | null) === null) resolve(result);
        else reject(error);
      });
    });
  }

  private readonly fail = (error: Error): void => {
    this.failure ??= error;
  };
}
