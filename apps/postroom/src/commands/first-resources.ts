import { makeFirstBook } from '@postroom/directory';
import { administratorOf, workspaceId, type NewWorkspace } from '@postroom/gateway';
import { Database } from '@postroom/persistence';
import { makeFirstCalendar } from '@postroom/scheduling';
import type { PostroomConfig } from '../config.js';
import { findDatabase } from '../database.js';

/**
 * Makes the address book and the shared calendar that a workspace begins with (`decisions.md` §4), unless it has
 * some: contacts and events need one, and agents make none.
 */
export async function makeFirstResources(
  config: PostroomConfig,
  access: Database,
  { name, adminEmail }: NewWorkspace,
): Promise<void> {
  const tenantId = await workspaceId(access, name);
  if (tenantId === null) return;
  const owner = await administratorOf(access, tenantId, adminEmail);
  await using(config, 'directory', (database) => makeFirstBook(database, tenantId));
  if (!owner) return;
  await using(config, 'scheduling', (database) => makeFirstCalendar(database, tenantId, owner));
}

async function using(
  config: PostroomConfig,
  schema: 'directory' | 'scheduling',
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const url = await findDatabase(config, schema);
  const database = await Database.connect({ url, schema, entities: [] });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
