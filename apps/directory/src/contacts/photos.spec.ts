import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactImportSteps,
  contactMerging,
  contacts,
  contactTransfer,
  type ContactList,
  type EntryCounts,
  type ExportPart,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { DirectoryService, memberKey, type BookOf } from '../testing/directory-service.js';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300, 7)]);
const jpeg = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(256 * 1024 - 4, 9)]);
const base64 = (bytes: Buffer): string => bytes.toString('base64');
const folded = (line: string): string => (line.match(/.{1,74}/g) ?? []).join('\r\n ');

describe('the photo of a contact', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const admin = ({ tenantId }: BookOf) => anAdmin({ tenantId });
  const importCard = async (book: BookOf, ...lines: string[]): Promise<EntryCounts> => {
    const card = ['BEGIN:VCARD', ...lines.map(folded), 'END:VCARD', ''].join('\r\n');
    const entries = [Buffer.from(card).toString('base64')];
    const input = { bookId: book.id, mediaType: 'text/vcard' as const, header: '', entries };
    const taken = { ...input, places: [1], dryRun: false };
    const caller = admin(book);
    return (await service.call<EntryCounts>(contactImportSteps.take, taken, { caller })).body;
  };
  const listed = async ({ id: bookId, caller }: BookOf) => {
    const input = { bookId, sort: 'name' as const };
    return (await service.call<ContactList>(contacts.list, input, { caller })).body.contacts;
  };
  const photo = ({ caller }: Pick<BookOf, 'caller'>, id = '') =>
    service.call(contacts.photo, { id }, { caller });

  it.each([
    ['of 4.0', 'VERSION:4.0', `PHOTO:data:image/png;base64,${base64(png)}`, png],
    ['of 3.0', 'VERSION:3.0', `PHOTO;ENCODING=b;TYPE=PNG:${base64(png)}`, png],
    ['of 2.1', 'VERSION:2.1', `PHOTO;PNG;BASE64:${base64(png)}`, png],
    [
      'in a group, escaped',
      'VERSION:3.0',
      `a.PHOTO;VALUE=uri:data:image/jpeg;base64\\,${base64(jpeg)}`,
      jpeg,
    ],
  ])('is kept as the card has it, and exported: %s', async (_form, version, line, bytes) => {
    const book = await service.book();
    expect(await importCard(book, version, 'FN:Ann', line)).toMatchObject({
      created: 1,
      warnings: [],
    });
    const [contact] = await listed(book);
    expect(contact).toMatchObject({ displayName: 'Ann', hasPhoto: true });
    const answer = await photo(book, contact?.id);
    expect(answer.headers['content-type']).toBe(bytes === png ? 'image/png' : 'image/jpeg');
    expect(answer.bytes.equals(bytes)).toBe(true);
    const asked = { id: book.id, format: 'vcard' as const, after: '' };
    const { body } = await service.call<ExportPart>(contactTransfer.export, asked, {
      caller: admin(book),
    });
    const again = await service.book();
    const lines = body.lines.replaceAll('\r\n ', '').split('\r\n').slice(1, -2);
    expect(await importCard(again, ...lines)).toMatchObject({ created: 1, warnings: [] });
    const [copy] = await listed(again);
    expect((await photo(again, copy?.id)).bytes.equals(bytes)).toBe(true);
    expect(Math.max(...body.lines.split('\r\n').map((one) => one.length))).toBeLessThanOrEqual(75);
  });

  it.each([
    ['https://x.example/ann.png', 'a link, which is not fetched'],
    [`data:image/png;base64,${base64(Buffer.concat([jpeg, png]))}`, 'more than 256 KiB'],
    [`data:image/png;base64,${base64(Buffer.from('<svg/>'))}`, 'neither PNG nor JPEG'],
  ])('that cannot be kept is a warning: %.30s', async (value, why) => {
    const book = await service.book();
    const warnings = [{ entry: 1, reason: `the photo left out: ${why}` }];
    const counts = await importCard(book, 'VERSION:4.0', 'FN:Ann', `PHOTO:${value}`);
    expect(counts).toMatchObject({ created: 1, warnings });
    const [contact] = await listed(book);
    expect(contact?.hasPhoto).toBe(false);
    expect((await photo(book, contact?.id)).problem).toBe('PHOTO_NOT_FOUND');
  });

  it('goes over in a merge and comes back, is counted, and goes with its last contact', async () => {
    const book = await service.book();
    const card = (name: string, ...more: string[]) =>
      importCard(book, 'VERSION:4.0', `FN:${name}`, `EMAIL:${name}@x.test`, ...more);
    await card('a');
    await card('b', `PHOTO:data:;base64,${base64(png)}`);
    const [a = '', b = ''] = (await listed(book)).map(({ id }) => id);
    const caller = admin(book);
    const merge = { survivorId: a, mergedIds: [b] };
    await service.call(contactMerging.merge, merge, { caller });
    expect((await photo(book, a)).bytes.equals(png)).toBe(true);
    const purge = async (): Promise<number> => {
      await service.rows(`UPDATE contact_photos SET given_at = now() - interval '2 hours'`);
      await service.rows('SELECT purge_photos()');
      return service.count('contact_photos', book);
    };
    expect(await purge()).toBe(1);
    await service.call(contactMerging.unmerge, { mergedId: b }, { caller });
    expect((await listed(book)).map(({ hasPhoto }) => hasPhoto)).toEqual([false, true]);
    const stored = async () => (await service.usage(caller)).storedBytes?.used ?? 0;
    const before = await stored();
    // Without a photo the card leaves the one that is there.
    await card('b');
    expect(await purge()).toBe(1);
    expect((await photo({ caller: memberKey() }, b)).problem).toBe('CONTACT_NOT_FOUND');
    await service.call(contacts.remove, { id: b }, { caller });
    expect(await purge()).toBe(0);
    expect(before - (await stored())).toBe(png.length);
  });
});
