import { newId, systemActor } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import type { Database } from '@postroom/persistence';
import { countBooks, insertBook } from './stored-books.js';

/** Makes the address book that a workspace begins with, unless it has one. */
export function makeFirstBook(database: Database, tenantId: string): Promise<void> {
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  return new UnitOfWork(database).change(origin, null, async (changing) => {
    const isFirst = (await countBooks(changing)) === 0;
    const book = { name: 'Contacts', access: 'workspace' } as const;
    if (isFirst) await insertBook(changing, newId('abk'), book);
    return { value: undefined };
  });
}
