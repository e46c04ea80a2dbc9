import type { Pool, PoolClient, QueryResult } from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { largeValueBytes, rowsWithLarge } from './large-value.js';
import { givenUpWhenSilent } from './silence.js';
import type { Statement } from './statement.js';

export interface DatabaseOptions {
  readonly url: string;
  /** The service's schema; its role sees no other. */
  readonly schema: string;
  readonly entities: readonly (new () => object)[] | readonly EntitySchema[];
  /** Connections of this process (5). */
  readonly poolSize?: number;
  /** Longest single statement (10 s), so that no connection is lost to one. */
  readonly statementTimeoutMs?: number;
}

/** One transaction under one tenant: the raw client for statements, the manager for entities. */
export interface Transaction {
  readonly manager: EntityManager;
  readonly rows: <R extends object>(
    statement: Statement<R>,
    values: readonly unknown[],
  ) => Promise<R[]>;
}

/** What `send` queries leaves in one write. */
export type Together = <T>(send: () => T) => T;

/** How a transaction begins and ends; both travel in one trip with BEGIN and COMMIT (pg pipelining). */
export interface TransactionEnds<B> {
  readonly begin: (
    rows: Transaction['rows'],
    manager: EntityManager,
    together: Together,
  ) => Promise<B>;
  readonly commit: (rows: Transaction['rows']) => readonly Promise<unknown>[];
}

/** A service's database: TypeORM's data source, and its driver's pool for prepared statements. */
export class Database {
  private constructor(
    readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {}

  static async connect(options: DatabaseOptions): Promise<Database> {
    const { url, schema, entities, poolSize = 5, statementTimeoutMs = 10_000 } = options;
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      schema,
      entities: [...entities],
      synchronize: false,
      extra: {
        max: poolSize,
        pipeline: true,
        connectionTimeoutMillis: 5_000,
        statement_timeout: statementTimeoutMs,
        onConnect: givenUpWhenSilent(statementTimeoutMs),
        keepAlive: true,
        idle_in_transaction_session_timeout: 60_000,
        // Days without a zone are of UTC, whatever the server's or the role's zone is.
        options: `-c search_path=${schema},public -c TimeZone=UTC`,
      },
    });
    await dataSource.initialize();
    return new Database(dataSource, (dataSource.driver as PostgresDriver).master as Pool);
  }

  /**
   * Runs one prepared statement outside any transaction: the short way of reads. A last value of many
   * bytes goes piece by piece.
   */
  async rows<R extends object>(statement: Statement<R>, values: readonly unknown[]): Promise<R[]> {
    const { name, text } = statement;
    const last = values.at(-1);
    if (last instanceof Uint8Array && last.length >= largeValueBytes) {
      return rowsWithLarge(this.pool, statement, values.slice(0, -1), last);
    }
    const result = await this.pool.query<R>({ name, text, values: [...values] });
    return result.rows;
  }

  /**
   * Runs `work` in one transaction. BEGIN leaves together with what `begin` queries (it sets the
   * tenant), what `commit` queries leaves together with COMMIT; any throw rolls everything back.
   * Neither `rows` nor the manager works after the end.
   *
   * @throws what failed; when the connection was lost, why it was
   */
  async transaction<B, T>(
    ends: TransactionEnds<B>,
    work: (transaction: Transaction, begun: B) => Promise<T>,
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as PoolClient;
    let ended = false;
    let loss: Error | undefined;
    const noteLoss = (error: Error): void => {
      loss ??= error;
    };
    client.on('error', noteLoss);
    const rows = async <R extends object>(
      { name, text }: Statement<R>,
      values: readonly unknown[],
    ): Promise<R[]> => {
      // What the work left running would get into whoever has the connection next.
      if (ended) throw new Error('the transaction has ended');
      return (await client.query<R>({ name, text, values: [...values] })).rows;
    };
    try {
      setActive(runner, true);
      const [, begun] = await Promise.all(
        oneWrite(client, () => {
          const together: Together = (send) => oneWrite(client, send);
          return [client.query('BEGIN'), ends.begin(rows, runner.manager, together)] as const;
        }),
      );
      const result = await work({ manager: runner.manager, rows }, begun);
      const last = oneWrite(client, () => [...ends.commit(rows), client.query('COMMIT')]);
      ended = true;
      const committed = (await Promise.all(last)).at(-1) as QueryResult;
      // PostgreSQL answers so, and with no error, when a statement failed that the work let pass.
      if (committed.command === 'ROLLBACK') throw new Error('rolled back: a statement failed');
      return result;
    } catch (error) {
      ended = true;
      const reason = loss ?? error;
      // Answered after all that was sent before it: nothing is left under way on the connection.
      await client.query('ROLLBACK').catch(() => undefined);
      throw reason;
    } finally {
      client.off('error', noteLoss);
      setActive(runner, false);
      await runner.release();
    }
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}

/**
 * What `send` queries, and what is queried before the promises settled by now have run out, leaves in
 * one write to the socket. The driver writes each query by itself, and a write, with the wake-up of
 * PostgreSQL's end that it brings, costs as much as the query's own work.
 */
function oneWrite<T>(client: PoolClient, send: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
  return send();
}

/**
 * TypeORM opens a transaction of its own inside `save` unless the runner says that one is active, and
 * `manager.transaction` would commit ours unless its depth says so (it then uses a savepoint). One
 * is, but we began it ourselves to send BEGIN and the first query in one trip.
 */
const setActive = (runner: QueryRunner, active: boolean): void => {
  Object.assign(runner, { isTransactionActive: active, transactionDepth: active ? 1 : 0 });
};
