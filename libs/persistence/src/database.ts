import { Budget, LimitReached } from '@postroom/limits';
import type { Pool } from 'pg';
import { inSpan } from '@postroom/tracing';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { connectionTimeoutMs, openDataSource, type DatabaseOptions } from './data-source.js';
import { limits } from './limits.js';
import { Session } from './session.js';
import type { Statement } from './statement.js';

/** One transaction under one tenant: `rows` for prepared statements, `manager` for entities. */
export interface Transaction {
  readonly manager: EntityManager;
  readonly rows: <R extends object>(
    statement: Statement<R>,
    values: readonly unknown[],
  ) => Promise<R[]>;
}

/** Statements that are pipelined with BEGIN and with COMMIT, so that they cost no round trip of their own. */
export interface TransactionEnds<B> {
  readonly begin: (rows: Transaction['rows']) => Promise<B>;
  readonly commit: (rows: Transaction['rows']) => readonly Promise<unknown>[];
}

/** The use of a pool of connections at a moment. */
export interface PoolLoad {
  /** Connections. */
  readonly open: number;
  /** Those of them that do nothing. */
  readonly idle: number;
  /** Callers that wait for one, because all are used. */
  readonly waiting: number;
}

/**
 * A service's database: TypeORM's data source, and its driver's pool for prepared statements. Workspaces take
 * turns at its connections, and of four or more none has all, so that what one has under way does not delay another.
 */
export class Database {
  private readonly connections: Budget<'workspace'>;

  private constructor(
    readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {
    this.connections = new Budget(limits.connections, pool.options.max);
  }

  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = await openDataSource(options);
    return new Database(dataSource, (dataSource.driver as PostgresDriver).master as Pool);
  }

  /** The use of the pool at this moment. */
  get load(): PoolLoad {
    const { totalCount: open, idleCount: idle } = this.pool;
    return { open, idle, waiting: this.connections.waiting };
  }

  /**
   * Runs one prepared statement outside any transaction: the fast path of reads.
   *
   * @param tenantId the workspace whose slot at a connection is used; work without a workspace shares one
   */
  rows<R extends object>(
    statement: Statement<R>,
    values: readonly unknown[],
    tenantId?: string,
  ): Promise<R[]> {
    return this.inTurn(tenantId, () =>
      Session.use(this.pool, async (session) => (await session.query(statement, values)).rows),
    );
  }

  /**
   * Runs `work` in one transaction. What `begin` queries is pipelined with BEGIN (it sets the tenant),
   * what `commit` queries with COMMIT; any error rolls everything back. Neither `rows` nor the manager
   * works after the end.
   *
   * @param tenantId as for {@link rows}
   * @throws what failed; when the connection was lost, why it was
   */
  transaction<B, T>(
    ends: TransactionEnds<B>,
    work: (transaction: Transaction, begun: B) => Promise<T>,
    tenantId?: string,
  ): Promise<T> {
    return inSpan('transaction', { attributes: { 'db.system.name': 'postgresql' } }, () =>
      this.inTurn(tenantId, () =>
        Session.use(
          this.pool,
          (session) => this.transactionOn(session, ends, work),
          // It is answered after all that was sent before, so nothing is left running on the connection.
          (session) => session.command('ROLLBACK').catch(() => undefined),
        ),
      ),
    );
  }

  /** @throws as the pool does, when no connection was to be had in time */
  private async inTurn<T>(workspace = '', work: () => Promise<T>): Promise<T> {
    try {
      return await this.connections.runInTurn({ workspace }, work, {
        waitMaxMs: connectionTimeoutMs,
      });
    } catch (cause) {
      if (!(cause instanceof LimitReached)) throw cause;
      throw new Error('timeout exceeded when trying to connect', { cause });
    }
  }

  private async transactionOn<B, T>(
    session: Session,
    ends: TransactionEnds<B>,
    work: (transaction: Transaction, begun: B) => Promise<T>,
  ): Promise<T> {
    const runner = this.runnerOn(session);
    let ended = false;
    const rows = async <R extends object>(
      statement: Statement<R>,
      values: readonly unknown[],
    ): Promise<R[]> => {
      // Whatever the work left running would otherwise run in the connection's next transaction.
      if (ended) throw new Error('the transaction has ended');
      return (await session.query(statement, values)).rows;
    };
    try {
      const [, begun] = await Promise.all([session.command('BEGIN'), ends.begin(rows)]);
      const result = await work({ rows, manager: runner.manager }, begun);
      const recorded = ends.commit(rows);
      ended = true;
      const [{ command }] = await Promise.all([session.command('COMMIT'), ...recorded]);
      // PostgreSQL answers so, without an error, when a statement failed and the work ignored it.
      if (command === 'ROLLBACK') throw new Error('rolled back: a statement failed');
      return result;
    } finally {
      ended = true;
      await runner.release();
    }
  }

  /**
   * TypeORM opens a transaction of its own inside `save` unless the runner says that one is active,
   * and `manager.transaction` would commit ours unless its depth says so (it then uses a savepoint).
   * One is, but we began it ourselves, to pipeline BEGIN with the first query.
   */
  private runnerOn({ client }: Session): QueryRunner {
    const joined = { databaseConnection: client, isTransactionActive: true, transactionDepth: 1 };
    return Object.assign(this.dataSource.createQueryRunner(), joined);
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}
