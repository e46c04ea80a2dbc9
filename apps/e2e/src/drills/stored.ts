import { Client } from 'pg';

/** The place of the text that identifies a write of the drills. */
const markers = `
  SELECT text AS marker FROM mail.comments
  UNION ALL SELECT subject FROM mail.messages
  UNION ALL SELECT display_name FROM directory.contacts
  UNION ALL SELECT title FROM scheduling.tasks`;

/** Runs a statement as the database's administrator, past every policy. */
export async function rowsOf<T extends object>(adminUrl: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The number of times that each identifying text is stored. */
export async function storedTimes(adminUrl: string): Promise<ReadonlyMap<string, number>> {
  const rows = await rowsOf<{ marker: string; times: number }>(
    adminUrl,
    `SELECT marker, count(*)::int AS times FROM (${markers}) found GROUP BY marker`,
  );
  return new Map(rows.map(({ marker, times }) => [marker, times]));
}
