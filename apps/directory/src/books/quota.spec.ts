import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addressBooks,
  contactImportSteps,
  contactMerging,
  contacts,
  newId,
  type EntryCounts,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from '../testing/directory-service.js';

describe('the quota of contacts', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start({ QUOTA_CONTACTS: '3' });
  });
  afterAll(() => service.close());

  const isRefused = { status: 409, problem: 'QUOTA_EXCEEDED' };
  const adminOf = ({ tenantId }: BookOf) => ({ caller: anAdmin({ tenantId }) });
  const used = async (book: BookOf) => (await service.usage(adminOf(book).caller)).contacts;
  const take = (book: BookOf, ...names: string[]) => {
    const entries = names.map((name) =>
      Buffer.from(`BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${name}\r\nEND:VCARD\r\n`).toString('base64'),
    );
    const step = { bookId: book.id, mediaType: 'text/vcard' as const, header: '' };
    const places = entries.map((_, i) => i + 1);
    const input = { ...step, dryRun: false, entries, places };
    return service.call<EntryCounts>(contactImportSteps.take, input, adminOf(book));
  };

  it('refuses one too many, in whatever book, until one is deleted', async () => {
    const one = await service.book();
    const other = await service.book({ tenantId: one.tenantId });
    const { id } = await service.contact(one, { displayName: 'Ann' });
    await service.contact(one, { displayName: 'Bo' });
    await service.contact(other, { displayName: 'Cy' });
    expect(await service.create(other, { displayName: 'Di' })).toMatchObject(isRefused);
    expect((await service.create(other, { displayName: 'Cy', notes: 'again' })).status).toBe(200);
    expect(await used(one)).toEqual({ limit: 3, used: 3 });
    expect((await service.create(await service.book(), { displayName: 'Di' })).status).toBe(201);
    await service.call(contacts.remove, { id }, { caller: one.caller });
    expect((await service.create(other, { displayName: 'Di' })).status).toBe(201);
  });

  it('refuses the step of an import that would exceed it, and not what is overwritten', async () => {
    const book = await service.book();
    expect((await take(book, 'Ann', 'Bo', 'Cy')).body).toMatchObject({ created: 3 });
    expect(await take(book, 'Ann', 'Di')).toMatchObject(isRefused);
    expect((await take(book, 'Ann', 'Bo', 'Cy')).body).toMatchObject({ created: 0, updated: 3 });
    expect(await used(book)).toEqual({ limit: 3, used: 3 });
  });

  it('counts contacts that were merged until they are deleted with the survivor', async () => {
    const book = await service.book();
    const survivor = await service.contact(book, { displayName: 'Ann' });
    const merged = [
      await service.contact(book, { displayName: 'Anna' }),
      await service.contact(book, { displayName: 'Annie' }),
    ].map(({ id }) => id);
    const input = { survivorId: survivor.id, mergedIds: merged };
    const done = await service.call(contactMerging.merge, input, { caller: book.caller });
    expect(done.status).toBe(200);
    expect(await used(book)).toEqual({ limit: 3, used: 3 });
    expect(await service.create(book, { displayName: 'Di' })).toMatchObject(isRefused);
    const undone = { mergedId: merged[0] ?? '' };
    await service.call(contactMerging.unmerge, undone, { caller: book.caller });
    expect(await used(book)).toEqual({ limit: 3, used: 3 });
    await service.call(contacts.remove, { id: survivor.id }, { caller: book.caller });
    expect(await used(book)).toEqual({ limit: 3, used: 1 });
  });

  it('has room again once a book was deleted with its contacts', async () => {
    const tenantId = newId('ten');
    const book = await service.book({ tenantId });
    await take(book, 'Ann', 'Bo', 'Cy');
    const removed = { id: book.id, force: true };
    expect((await service.call(addressBooks.remove, removed, adminOf(book))).status).toBe(200);
    const other = await service.book({ tenantId });
    const deadlineMs = Date.now() + 240_000;
    while ((await service.create(other, { displayName: 'Di' })).status !== 201)
      if (Date.now() > deadlineMs) throw new Error('no room after a minute');
    expect(await used(other)).toEqual({ limit: 3, used: 1 });
  });
});
