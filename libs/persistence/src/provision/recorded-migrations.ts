import { DatabaseError, type Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';
import { connectClient } from '../sign-in.js';
import type { ServiceSchema } from './service-schema.js';

/** PostgreSQL's codes of a table that is not there, and of a schema. */
const absent = new Set(['42P01', '3F000']);

/** The names of the migrations that have run in a schema; none where there is no such schema. */
export async function recordedMigrations(client: Client, schema: string): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof DatabaseError && absent.has(error.code ?? '')) return [];
    throw error;
  }
}

/**
 * Refuses to serve on a database that is older than the service: every request would fail on it, one by one.
 * A newer one is well, since migrations only add what the version before does not know.
 *
 * @param url of the service's own role
 * @throws Error that names the first migration that has not run
 */
export async function requireMigrations(url: string, schema: ServiceSchema): Promise<void> {
  const client = await connectClient(url);
  try {
    const recorded = new Set(await recordedMigrations(client, schema.name));
    const pending = schema.migrations.filter(({ name }) => !recorded.has(name));
    const [first] = pending;
    if (first === undefined) return;
    throw new Error(
      `The database lacks ${pending.length} of the migrations of schema ${schema.name}, ${first.name} ` +
        'first: run the job "prepare" of this version before its services.',
    );
  } finally {
    await client.end();
  }
}

/**
 * Refuses a database whose tables were made by a version with other init migrations: there are none from its
 * tables to today's. One of a newer version has the init migrations of this one.
 *
 * @param place how the operator names the database
 * @throws SetupError that says what to do
 */
export async function requireSameInit(
  client: Client,
  schemas: readonly ServiceSchema[],
  place: string,
): Promise<void> {
  for (const { name: schema, migrations } of schemas) {
    const recorded = await recordedMigrations(client, schema);
    const [init] = migrations;
    if (init === undefined || recorded.length === 0 || recorded.includes(init.name)) continue;
    throw new SetupError(
      `${place} was filled by a version before 0.3.0, from which there is no upgrade; its data is as it was. ` +
        'Use a new one. To take your workspaces along, export each with the version that filled it ' +
        '("postroom workspace export") and import it with this one ("postroom workspace import"). ' +
        `(Schema ${schema} has the migration ${recorded[0]}, and lacks ${init.name}.)`,
    );
  }
}
