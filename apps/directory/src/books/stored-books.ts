import {
  newId,
  Problem,
  type AddressBook,
  type BookAccessValue,
  type EventActor,
  type EventSource,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

type Rows = Pick<Reading, 'rows'>;
type Change = Pick<Changing, 'rows' | 'at'>;

const columns = (of: string): string => `
  ${of}.id, ${of}.name, book_members(${of}) AS access, ${of}.contact_count AS "contactCount",
  ${instant(`${of}.created_at`)} AS "createdAt", ${instant(`${of}.updated_at`)} AS "updatedAt",
  ${of}.version`;

const list = statement<AddressBook>('books.list', `SELECT ${columns('b')} FROM list_books($1) b`);

const find = statement<AddressBook>(
  'books.find',
  `SELECT ${columns('b')} FROM address_books b
   WHERE b.tenant_id = $1 AND b.id = $2 AND b.deleted_at IS NULL FOR NO KEY UPDATE OF b`,
);

const count = statement<{ count: number }>(
  'books.count',
  `SELECT count(*)::int AS count FROM address_books WHERE tenant_id = $1 AND deleted_at IS NULL`,
);

const insert = statement<object>(
  'books.insert',
  `INSERT INTO address_books (tenant_id, id, name, is_shared, salt, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $6)`,
);

const change = statement<object>(
  'books.change',
  `UPDATE address_books SET name = $3, is_shared = $4, updated_at = greatest(updated_at, $5),
     version = version + 1, sequence = sequence + 1
   WHERE tenant_id = $1 AND id = $2`,
);

const dropMembers = statement<object>(
  'books.drop_members',
  'DELETE FROM address_book_members WHERE tenant_id = $1 AND book_id = $2',
);

const addMembers = statement<object>(
  'books.add_members',
  `INSERT INTO address_book_members (tenant_id, book_id, member_id, can_write)
   SELECT $1, $2, * FROM unnest($3::text[], $4::boolean[])`,
);

const remove = statement<object>(
  'books.remove',
  `UPDATE address_books SET deleted_at = $3, deleted_by = $4, sequence = sequence + 1
   WHERE tenant_id = $1 AND id = $2`,
);

const announce = statement<object>('books.announce', 'SELECT announce_book($1, $2, $3, $4)');

/** The books of the workspace, by name. */
export const listBooks = ({ rows }: Rows): Promise<AddressBook[]> => rows(list, []);

/** Number of books of the workspace. */
export async function countBooks({ rows }: Rows): Promise<number> {
  const [found] = await rows(count, []);
  return found?.count ?? 0;
}

/**
 * Reads a book and locks it.
 * @throws Problem BOOK_NOT_FOUND
 */
export async function findBook({ rows }: Rows, id: string): Promise<AddressBook> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('BOOK_NOT_FOUND');
  return found;
}

/** The settings of a book. */
export interface BookSettings {
  readonly name: string;
  readonly access: BookAccessValue;
}

export async function insertBook(
  context: Change,
  id: string,
  { name, access }: BookSettings,
): Promise<void> {
  const salt = crypto.getRandomValues(new Int32Array(1))[0];
  await context.rows(insert, [id, name, access === 'workspace', salt, context.at]);
  await writeMembers(context, id, access);
  await announceBook(context, id);
}

export async function changeBook(
  context: Change,
  id: string,
  { name, access }: BookSettings,
): Promise<void> {
  await context.rows(change, [id, name, access === 'workspace', context.at]);
  await context.rows(dropMembers, [id]);
  await writeMembers(context, id, access);
  await announceBook(context, id);
}

/** Hides a book; its contacts are deleted in the background. */
export async function removeBook(
  context: Change,
  id: string,
  deletedBy: { readonly actor: EventActor; readonly source: EventSource },
): Promise<void> {
  await context.rows(remove, [id, context.at, JSON.stringify(deletedBy)]);
  await announceBook(context, id);
}

/** Publishes `BookChanged` to the services that keep who may read a book. */
async function announceBook({ rows, at }: Change, id: string): Promise<void> {
  await rows(announce, [id, newId('evn'), at]);
}

async function writeMembers({ rows }: Rows, id: string, access: BookAccessValue): Promise<void> {
  if (access === 'workspace' || access.length === 0) return;
  const ids = access.map(({ member }) => member);
  await rows(addMembers, [id, ids, access.map((one) => one.access === 'write')]);
}
