import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  addressBooks,
  builtIns,
  contactMerging,
  contacts,
  decode,
  newId,
  type AddressBook,
  type BookAnswer,
  type BookPage,
  type CreateBook,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { until } from '@postroom/testing/until';
import { DirectoryService, type BookOf } from '../testing/directory-service.js';

describe('address books', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const create = async (caller = anAdmin(), given: Partial<CreateBook> = {}) => {
    const input = { name: 'Customers', access: 'workspace' as const, ...given };
    return (await service.call<BookAnswer>(addressBooks.create, input, { caller })).body.book;
  };
  const list = async (caller: ReturnType<typeof anAdmin>): Promise<AddressBook[]> =>
    (await service.call<BookPage>(addressBooks.list, {}, { caller })).body.items;
  const remove = (caller: ReturnType<typeof anAdmin>, id: string, force: boolean) =>
    service.call(addressBooks.remove, { id, force }, { caller });

  const swept = async (book: BookOf): Promise<void> => {
    const left = async (): Promise<number> =>
      (await service.count('contacts', book)) + (await service.count('merged_contacts', book));
    await until(async () => (await left()) === 0);
  };

  it('are created, listed by name, changed, and removed', async () => {
    const admin = anAdmin();
    const member = newId('mbr');
    const access = [{ member, access: 'write' as const }];
    const zoo = await create(admin, { name: ' Zoo ' });
    const ete = await create(admin, { name: 'Été', access });
    expect(zoo).toMatchObject({ name: 'Zoo', access: 'workspace', contactCount: 0, version: 1 });
    expect(await list(admin)).toEqual([ete, zoo]);
    const changed = await service.call<BookAnswer>(
      addressBooks.update,
      { id: zoo.id, access, ifMatch: 1 },
      { caller: admin },
    );
    expect(changed.body.book).toMatchObject({ name: 'Zoo', access, version: 2 });
    const input = { id: zoo.id, name: 'X', ifMatch: 1 };
    const stale = await service.call(addressBooks.update, input, { caller: admin });
    expect(stale.problem).toBe('VERSION_CONFLICT');
    expect((await remove(admin, zoo.id, false)).status).toBe(200);
    expect(await list(admin)).toEqual([ete]);
    expect((await remove(admin, zoo.id, false)).problem).toBe('BOOK_NOT_FOUND');
    expect((await service.audit(admin)).map(({ action }) => action).sort()).toEqual([
      ...[
        'addressBooks.create',
        'addressBooks.create',
        'addressBooks.remove',
        'addressBooks.update',
      ],
    ]);
  });

  it('stay as they are, version and all, where a change changes nothing', async () => {
    const admin = anAdmin();
    const access = [{ member: newId('mbr'), access: 'write' as const }];
    const book = await create(admin, { name: 'Zoo', access });
    for (const same of [{}, { name: ' Zoo ' }, { access: [...access] }]) {
      const again = { id: book.id, ...same };
      const answer = await service.call<BookAnswer>(addressBooks.update, again, { caller: admin });
      expect(answer.body.book).toEqual(book);
    }
  });

  it('have names of one line', () => {
    const read = (name: string) => decode(addressBooks.create.input, { body: { name } });
    expect(read('a\nb').violations).toMatchObject([{ field: 'name' }]);
    expect(read('Été').violations).toBeUndefined();
  });

  it('change in turn, however long one takes', async () => {
    const book = await service.book();
    await service.admin.query('BEGIN');
    await service.rows('SELECT FROM address_books WHERE id = $1 FOR UPDATE', [book.id]);
    const created = service.create(book, { displayName: 'Ann' }, { idempotencyKey: newId('evn') });
    await sleep(3000);
    await service.admin.query('COMMIT');
    expect((await created).status).toBe(201);
  });

  it('of another workspace do not exist', async () => {
    const [admin, stranger] = [anAdmin(), anAdmin()];
    const { id } = await create(admin);
    expect(await list(stranger)).toEqual([]);
    expect((await remove(stranger, id, true)).problem).toBe('BOOK_NOT_FOUND');
    const renamed = await service.call(
      addressBooks.update,
      { id, name: 'x' },
      { caller: stranger },
    );
    expect(renamed.problem).toBe('BOOK_NOT_FOUND');
  });

  it('name each member once', () => {
    const member = newId('mbr');
    const twice = [
      { member, access: 'read' as const },
      { member, access: 'write' as const },
    ];
    expect(addressBooks.create.rule?.({ name: 'x', access: twice })).toHaveLength(1);
    expect(addressBooks.create.rule?.({ name: 'x', access: twice.slice(1) })).toEqual([]);
  });

  it('with contacts are deleted by force alone, each contact with its event', async () => {
    const book = await service.book();
    const caller = anAdmin({ tenantId: book.tenantId });
    const made = [];
    for (let i = 0; i < 205; i++) made.push(await service.contact(book, { displayName: `N${i}` }));
    const [id = '', mergedId = ''] = made.map((contact) => contact.id);
    const merge = { survivorId: id, mergedIds: [mergedId] };
    await service.call(contactMerging.merge, merge, { caller });
    expect((await remove(caller, book.id, false)).problem).toBe('BOOK_NOT_EMPTY');
    expect((await remove(caller, book.id, true)).status).toBe(200);
    const read = await service.call(contacts.get, { id }, { caller });
    expect(read.problem).toBe('CONTACT_NOT_FOUND');
    const into = await service.create(book, { displayName: 'late' });
    expect(into.problem).toBe('BOOK_NOT_FOUND');
    await swept(book);
    for (const table of ['contacts', 'merged_contacts'])
      expect(await service.count(table, book)).toBe(0);
    // The rights on it are kept for as long as the feed has these events.
    const containers = [{ type: 'book' as const, id: book.id }];
    const seen = async (by: Caller): Promise<unknown> =>
      (await service.call(builtIns.directory.visible, { containers }, { caller: by })).body;
    expect(await seen(caller)).toEqual({ containers });
    expect(await seen(anAdmin())).toEqual({ containers: [] });
    const { tenantId } = book;
    await service.rows(
      `UPDATE address_books SET deleted_at = now() - interval '16 days' WHERE tenant_id = $1`,
      [tenantId],
    );
    await until(async () => (await service.count('address_books', book)) === 0);
    expect(await seen(caller)).toEqual({ containers: [] });
    const events = await service.events(book);
    const deleted = events.filter(({ type }) => type === 'contact.deleted');
    expect(new Set(deleted.map(({ resource }) => resource.id)).size).toBe(204);
    expect(deleted.at(0)?.actor).toEqual({ type: 'member', id: caller.memberId });
  });
});
