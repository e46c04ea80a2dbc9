import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactMerging,
  contacts,
  directoryPersons,
  type ContactList,
  type ErasureStep,
  type PersonLines,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from './testing/directory-service.js';

const email = 'ann@x.test';

describe('contacts of a correspondent', () => {
  let service: DirectoryService;
  let book: BookOf;
  beforeAll(async () => {
    service = await DirectoryService.start();
    book = await service.book();
  });
  afterAll(() => service.close());

  it('are exported, counted, and deleted once in every book, also those that were merged', async () => {
    const { tenantId } = book;
    const caller = anAdmin({ tenantId });
    const hidden = await service.book({ tenantId, access: [] });
    const elsewhere = await service.book();
    const given = (value: string) => ({
      displayName: 'Ann',
      emails: [
        { value: 'a@y.test', type: null },
        { value, type: null },
      ],
    });
    const found = await service.contact(book, given('Ann@X.test'));
    await service.contact({ ...hidden, caller }, given(email));
    await service.contact(elsewhere, given(email));
    const survivor = await service.contact(book, { emails: [{ value: 'bob@x.test', type: null }] });
    const merged = await service.contact(book, {
      displayName: 'Anne',
      emails: [{ value: email, type: null }],
    });
    const merge = { survivorId: survivor.id, mergedIds: [merged.id] };
    await service.call(contactMerging.merge, merge, { caller });

    const asked = { email, after: '' };
    const { body } = await service.call<PersonLines>(directoryPersons.export, asked, { caller });
    expect(body.lines.match(/"type":"contact"/g)).toHaveLength(3);
    const erase = async (dryRun: boolean): Promise<ErasureStep> =>
      (await service.call<ErasureStep>(directoryPersons.erase, { ...asked, dryRun }, { caller }))
        .body;
    expect(await erase(true)).toMatchObject({ contacts: 3, after: null });
    expect(await erase(false)).toMatchObject({ contacts: 3, after: null });
    expect(await erase(false)).toMatchObject({ contacts: 0 });
    const counts = ['contacts', 'merged_contacts'].map((table) => service.count(table, book));
    expect(await Promise.all(counts)).toEqual([0, 0]);
    const events = await service.events(book);
    const deleted = events.filter(({ type }) => type === 'contact.deleted');
    expect(deleted.map(({ resource }) => resource.id)).toContain(found.id);
    expect(deleted).toHaveLength(3);
    const list = { bookId: elsewhere.id, sort: 'name' as const };
    const others = await service.call<ContactList>(contacts.list, list, elsewhere);
    expect(others.body.total).toBe(1);
  });
});
