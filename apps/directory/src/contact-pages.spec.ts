import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addressBooks,
  booksPageMax,
  contactImportSteps,
  contactPages,
  contacts,
  contactsPageMax,
  type ContactBesideMail,
  type ContactPage,
  type ReadableBook,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from './testing/directory-service.js';

describe('pages of books and contacts', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  /** All that a walk finds, and how many pages it took. */
  const walk = async ({ tenantId }: Pick<BookOf, 'tenantId'>) => {
    const caller = anAdmin({ tenantId });
    const read = async (after: string): Promise<ContactPage> => {
      const answer = await service.call<ContactPage>(contactPages.read, { after }, { caller });
      expect(answer.problem).toBeNull();
      return answer.body;
    };
    const books: ReadableBook[] = [];
    const found: ContactBesideMail[] = [];
    let pages = 0;
    for (let after: string | null = ''; after !== null; pages++) {
      const page: ContactPage = await read(after);
      books.push(...page.books);
      found.push(...page.contacts);
      ({ after } = page);
    }
    return { books, contacts: found, pages };
  };

  it('say who may read a book, and what conversations show of a contact', async () => {
    const shared = await service.book();
    const { tenantId } = shared;
    const member = 'mbr_01M86F36FRHBMANNG8WG99RH7N';
    const own = await service.book({ tenantId, access: [{ member, access: 'read' }] });
    const emails = [
      { value: 'Ann@lee.example', type: null },
      { value: 'ann@home.example', type: 'home' },
    ];
    const { id } = await service.contact(shared, { displayName: 'Ann', emails });
    await service.call(contacts.update, { id, notes: 'x' }, { caller: shared.caller });
    const { books, contacts: found } = await walk(shared);
    expect(books).toEqual([
      { id: shared.id, isShared: true, memberIds: [], sequence: 1 },
      { id: own.id, isShared: false, memberIds: [member], sequence: 1 },
    ]);
    expect(found).toEqual([
      {
        ...{ id, bookId: shared.id, name: 'Ann', sequence: 2 },
        addresses: ['Ann@lee.example', 'ann@home.example'],
        changedAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('have each book and contact of the workspace once, but of a deleted book', async () => {
    const first = await service.book();
    const { tenantId } = first;
    const caller = anAdmin({ tenantId });
    const ids = [first.id];
    for (let i = 0; i < booksPageMax; i++) ids.push((await service.book({ tenantId })).id);
    const gone = await service.book({ tenantId });
    await service.contact(gone, { displayName: 'Gone' });
    await service.call(addressBooks.remove, { id: gone.id, force: true }, { caller });
    await service.contact(await service.book(), { displayName: 'Stranger' });
    const count = contactsPageMax + 1;
    const cards = Array.from({ length: count }, (_, i) =>
      Buffer.from(`BEGIN:VCARD\nVERSION:4.0\nFN:Contact ${i}\nEND:VCARD\n`).toString('base64'),
    );
    for (let at = 0; at < count; at += 100) {
      const entries = cards.slice(at, at + 100);
      const places = entries.map((_, i) => at + i + 1);
      const step = { bookId: first.id, mediaType: 'text/vcard', header: '', places } as const;
      await service.call(contactImportSteps.take, { ...step, entries, dryRun: false }, { caller });
    }
    const { books, contacts: found, pages } = await walk(first);
    expect(books.map(({ id }) => id)).toEqual([...ids].sort());
    expect(new Set(found.map(({ name }) => name)).size).toBe(count);
    expect(found).toHaveLength(count);
    expect(pages).toBe(4);
  });
});
