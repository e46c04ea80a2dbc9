import type { SchemaName } from '@postroom/contracts';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { schemas } from '../database.js';

/** A database with the schemas of all services, and an administrator's connection to it. */
export interface AllSchemas extends Pick<TestDatabase<SchemaName>, 'adminUrl' | 'urls'> {
  readonly admin: Client;
  close(): Promise<void>;
}

export async function openAllSchemas(): Promise<AllSchemas> {
  const { adminUrl, urls, drop } = await createTestDatabase(schemas);
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  const close = async (): Promise<void> => {
    await admin.end();
    await drop();
  };
  return { adminUrl, urls, admin, close };
}
