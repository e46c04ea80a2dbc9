import type { Pool } from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Connections } from './connections.js';
import { givenUpWhenSilent } from './silence.js';
import { statement, type Statement } from './statement.js';
import { TripClient } from './trip-client.js';
import { withManager } from './with-manager.js';

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

/** How a transaction begins and ends: in one trip with BEGIN, and in one with COMMIT. */
export interface TransactionEnds<B> {
  readonly begin: (rows: Transaction['rows'], manager: () => EntityManager) => Promise<B>;
  readonly commit: (rows: Transaction['rows']) => readonly Promise<unknown>[];
}

/** A service's database: TypeORM's data source, and its driver's pool for prepared statements. */
export class Database {
  private constructor(
    readonly dataSource: DataSource,
    private readonly connections: Connections,
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
        Client: TripClient,
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
    const pool = (dataSource.driver as PostgresDriver).master as Pool;
    return new Database(dataSource, new Connections(pool, poolSize));
  }

  /** Runs one prepared statement outside any transaction: the short way of reads. */
  async rows<R extends object>(statement: Statement<R>, values: readonly unknown[]): Promise<R[]> {
    return this.connected(async (client) => (await client.ask(statement, values)).rows);
  }

  /**
   * Runs `work` in one transaction. BEGIN leaves together with what `begin` queries (it sets the
   * tenant), what `commit` queries leaves together with COMMIT; any throw rolls everything back.
   * Neither `rows` nor the manager works after the end.
   *
   * @throws what failed; when the connection was lost, why it was
   */
  transaction<B, T>(
    ends: TransactionEnds<B>,
    work: (transaction: Transaction, begun: B) => Promise<T>,
  ): Promise<T> {
    return this.connected((client) => this.transactionOn(client, ends, work), rolledBack);
  }

  private async transactionOn<B, T>(
    client: TripClient,
    ends: TransactionEnds<B>,
    work: (transaction: Transaction, begun: B) => Promise<T>,
  ): Promise<T> {
    let runner: QueryRunner | undefined;
    let ended = false;
    // Most transactions need none, and one costs as much as a statement.
    const manager = (): EntityManager => {
      runner ??= this.runnerOn(client);
      if (ended) void runner.release();
      return runner.manager;
    };
    const rows = async <R extends object>(
      statement: Statement<R>,
      values: readonly unknown[],
    ): Promise<R[]> => {
      // What the work left running would get into whoever has the connection next.
      if (ended) throw new Error('the transaction has ended');
      return (await client.ask(statement, values)).rows;
    };
    try {
      const [, begun] = await Promise.all([client.ask(begin, []), ends.begin(rows, manager)]);
      const transaction = withManager(manager, { rows });
      const result = await work(transaction, begun);
      const last = [...ends.commit(rows), client.ask(commit, [])];
      ended = true;
      const committed = (await Promise.all(last)).at(-1) as { command: string };
      // PostgreSQL answers so, and with no error, when a statement failed that the work let pass.
      if (committed.command === 'ROLLBACK') throw new Error('rolled back: a statement failed');
      return result;
    } finally {
      ended = true;
      await runner?.release();
    }
  }

  /**
   * TypeORM opens a transaction of its own inside `save` unless the runner says that one is active,
   * and `manager.transaction` would commit ours unless its depth says so (it then uses a savepoint).
   * One is, but we began it ourselves, to send BEGIN and the first query in one trip.
   */
  private runnerOn(client: TripClient): QueryRunner {
    const joined = { databaseConnection: client, isTransactionActive: true, transactionDepth: 1 };
    return Object.assign(this.dataSource.createQueryRunner(), joined);
  }

  /**
   * @param undo makes the connection as good as before when `use` fails; without it that one is closed
   * @throws what `use` throws; when the connection was lost, why it was
   */
  private async connected<T>(
    use: (client: TripClient) => Promise<T>,
    undo?: (client: TripClient) => Promise<unknown>,
  ): Promise<T> {
    const client = await this.connections.connect();
    let isSpoilt = false;
    try {
      return await use(client);
    } catch (error) {
      const reason = client.loss ?? error;
      if (undo) await undo(client);
      else isSpoilt = true;
      throw reason;
    } finally {
      client.release(client.loss ?? isSpoilt);
    }
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}

const begin = statement<object>('persistence.begin', 'BEGIN');
const commit = statement<object>('persistence.commit', 'COMMIT');

/**
 * In a trip of its own: it is run whatever fails of what was sent before. Answered after all of that,
 * so that nothing is left under way on the connection.
 */
const rolledBack = (client: TripClient): Promise<unknown> =>
  client.query('ROLLBACK').catch(() => undefined);
