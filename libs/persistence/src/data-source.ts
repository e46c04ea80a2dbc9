import pg from 'pg';
import { DataSource, type EntitySchema } from 'typeorm';
import { closeWhenSilent } from './service-pool.js';
import { SignInPool, signInUrls } from './sign-in.js';

export interface DatabaseOptions {
  /** It may have several passwords: see `signInUrls`. */
  readonly url: string;
  /** The service's schema, the only one that its role can see. */
  readonly schema: string;
  readonly entities: readonly (new () => object)[] | readonly EntitySchema[];
  /** Size of this process's connection pool (5). */
  readonly poolSize?: number;
  /** Time limit of a statement (10 s), so that none occupies a connection for ever. */
  readonly statementTimeoutMs?: number;
}

/** The longest wait for a connection. */
export const connectionTimeoutMs = 5_000;

/** Opens TypeORM's data source, whose pool signs in as the service's role. */
export function openDataSource(options: DatabaseOptions): Promise<DataSource> {
  const { url, schema, entities, poolSize = 5, statementTimeoutMs = 10_000 } = options;
  const urls = signInUrls(url);
  return new DataSource({
    type: 'postgres',
    url: urls[0] ?? url,
    driver: urls.length > 1 ? { ...pg, Pool: SignInPool } : pg,
    schema,
    entities: [...entities],
    synchronize: false,
    extra: {
      urls,
      max: poolSize,
      pipeline: true,
      connectionTimeoutMillis: connectionTimeoutMs,
      statement_timeout: statementTimeoutMs,
      onConnect: closeWhenSilent(statementTimeoutMs),
      keepAlive: true,
      idle_in_transaction_session_timeout: 60_000,
      // Timestamps without a zone are read as UTC, whatever the server's or the role's zone is.
      options: `-c search_path=${schema},public -c TimeZone=UTC`,
    },
  }).initialize();
}
