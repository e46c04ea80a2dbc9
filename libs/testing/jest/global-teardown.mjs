import { basename } from 'node:path';
import pg from 'pg';
import { endRun } from './test-run.mjs';

export default async function globalTeardown() {
  const { POSTROOM_TEST_RUN: folder, TEST_DATABASE_URL: url } = process.env;
  if (folder === undefined) return;
  if (url) await dropDatabases(url, basename(folder));
  await endRun(folder);
}

/** A server that was there before keeps nothing of this run. */
async function dropDatabases(url, run) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const names = `SELECT quote_ident(datname) AS name FROM pg_database WHERE starts_with(datname, $1)`;
    for (const { name } of (await client.query(names, [run])).rows) {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  } finally {
    await client.end();
  }
}
