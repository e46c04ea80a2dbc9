import type { SealedColumn } from '@postroom/access';
import type { Migration, ServiceSchema } from '@postroom/persistence/provision';
import { countedRows, type CountedRows } from './counted-rows.js';
import { init } from './migrations/2026-11-28-init.js';
import { sealedFunctions } from './sealed-columns.js';
import { timedFunctions, type TimedColumn } from './timed-columns.js';

/** Migrations of the engine's tables, which every service has. A new one is added at the end. */
const engineMigrations = (schema: string): readonly Migration[] => [init(schema)];

/** Folder of the functions on the engine's tables. */
const engineFunctions = new URL('../src/', import.meta.url);

/** The part of a schema that its service adds to the engine's tables. */
export interface OwnSchema<Name extends string> {
  readonly name: Name;
  readonly migrations: readonly Migration[];
  /** Folder of the `.sql` files with its functions. */
  readonly functions?: URL;
  /** Columns that hold encrypted secrets. */
  readonly seals?: readonly SealedColumn[];
  readonly counts?: readonly CountedRows[];
  /** Columns with the times at which something is to happen by itself. */
  readonly timed?: readonly TimedColumn[];
}

/** The schema of a service that owns operations: the engine's tables and functions, then its own. */
export const serviceSchema = <Name extends string>({
  name,
  migrations,
  functions,
  seals = [],
  counts = [],
  timed = [],
}: OwnSchema<Name>): ServiceSchema<Name> => ({
  name,
  migrations: [...engineMigrations(name), ...migrations],
  sql: functions ? [engineFunctions, functions] : [engineFunctions],
  made: [
    ...(seals.length > 0 ? [sealedFunctions(seals)] : []),
    countedRows(counts),
    timedFunctions(timed),
  ],
});
