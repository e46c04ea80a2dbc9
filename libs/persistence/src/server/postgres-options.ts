import type { Programs } from './programs.js';

/** How Postroom gets its PostgreSQL. */
export interface PostgresOptions {
  /**
   * Postroom's folder for a server of its own, made if missing; it keeps `postgres.json` (mode 600),
   * `postgres.log`, and `cluster/` unless `postgres.json` says that the cluster is elsewhere.
   */
  readonly dataDir: string;
  /** An administrator's URL of a server that exists; nothing is started then. */
  readonly databaseUrl?: string | undefined;
  /** One line at a time for whoever started Postroom. */
  readonly log: (line: string) => void;
  /** The same for what went wrong; `log` without it. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Only programs of this origin; by default local ones, and the embedded ones without them. */
  readonly origin?: Programs['origin'] | undefined;
  /**
   * False for tests only: nothing is synced to disk, so that a crash loses the data, the server shares
   * the caller's process group, so that Ctrl-C ends it too, and nobody starts it again. True by default.
   */
  readonly durable?: boolean | undefined;
  /** The `native` folder of the embedded platform package; by default the installed one. */
  readonly embeddedFolder?: string | undefined;
}
