import { DatabaseError, type Client } from 'pg';
import { connectClient } from '../sign-in/index.js';
import type { ServiceSchema } from './service-schema.js';

/** PostgreSQL's codes of a table that is not there, and of a schema. */
const absent = new Set(['42P01', '3F000']);

/**
 * Refuses a database that is older than the service: every request would fail on it, one by one. A newer
 * one is well, since migrations only add what the version before does not know.
 *
 * @param url of the service's own role
 * @throws Error that names the first migration that has not run
 */
export async function requireMigrations(url: string, schema: ServiceSchema): Promise<void> {
  const client = await connectClient(url);
  try {
    const run = new Set(await migrationsOf(client, schema.name));
    const pending = schema.migrations.map(({ name }) => name).filter((name) => !run.has(name));
    const [first] = pending;
    if (first === undefined) return;
    throw new Error(
      `The database lacks ${pending.length} of the migrations of schema ${schema.name}, ${first} ` +
        'first: run the job "prepare" of this version before its services.',
    );
  } finally {
    await client.end();
  }
}

async function migrationsOf(client: Client, schema: string): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof DatabaseError && absent.has(error.code ?? '')) return [];
    throw error;
  }
}
