import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactImportSteps,
  contacts,
  contactTransfer,
  type EntryCounts,
  type ContactList,
  type ExportContacts,
  type ExportPart,
  type TakeContacts,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from '../testing/directory-service.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const cardOf = (name: string, ...lines: string[]): string =>
  base64(['BEGIN:VCARD', 'VERSION:4.0', `FN:${name}`, ...lines, 'END:VCARD', ''].join('\r\n'));

describe('contacts in and out', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const adminOf = ({ tenantId }: BookOf) => anAdmin({ tenantId });
  const take = async (book: BookOf, entries: string[], given: Partial<TakeContacts> = {}) => {
    const step = { bookId: book.id, mediaType: 'text/vcard' as const, header: '' };
    const places = entries.map((_, i) => i + 11);
    const input = { ...step, dryRun: false, entries, places, ...given };
    return service.call<EntryCounts>(contactImportSteps.take, input, {
      caller: adminOf(book),
    });
  };
  const listed = async (book: BookOf): Promise<ContactList> => {
    const input = { bookId: book.id, sort: 'name' as const };
    return (await service.call<ContactList>(contacts.list, input, { caller: book.caller })).body;
  };

  it('create, overwrite, and tell what cannot be read and why, each with its event', async () => {
    const book = await service.book();
    const { id } = await service.contact(book, { displayName: 'Ann', notes: 'kept' });
    const entries = [
      cardOf('Ann', 'TITLE:Head'),
      cardOf('Bo'),
      base64('nonsense'),
      '-',
      cardOf(' '),
    ];
    const { body } = await take(book, entries);
    expect(body).toMatchObject({ created: 1, updated: 1 });
    expect(body.unreadable.map(({ entry }) => entry)).toEqual([13, 14, 15]);
    const { contacts: all } = await listed(book);
    expect(all).toMatchObject([
      { id, displayName: 'Ann', notes: 'kept', jobTitle: 'Head' },
      { displayName: 'Bo' },
    ]);
    const told = (await service.events(book)).map(({ type }) => type).sort();
    expect(told).toEqual(['contact.created', 'contact.created', 'contact.updated']);
  });

  it('overwrite what they were exported from, and tell of another name', async () => {
    const book = await service.book();
    const emails = [{ value: 'a@e.org', type: null }];
    const { id } = await service.contact(book, { displayName: 'Ann', emails });
    const other = await service.book();
    const cards = [cardOf('Anna', `UID:urn:postroom:${id}`, 'EMAIL:new@e.org')];
    for (const dryRun of [true, false]) {
      const { body } = await take(book, cards, { dryRun });
      expect(body).toMatchObject({ created: 0, updated: 1 });
      expect(body.warnings).toEqual([{ entry: 11, reason: 'overwrites the contact Ann' }]);
    }
    expect((await listed(book)).contacts).toMatchObject([{ id, displayName: 'Anna' }]);
    expect((await take(other, cards)).body).toMatchObject({ created: 1, warnings: [] });
  });

  it('are contacts without what a contact may not say, and tell of it', async () => {
    const book = await service.book();
    const cards = [cardOf('Bo'), cardOf('x'.repeat(121), 'EMAIL:zzz')];
    const reason =
      'displayName cut to 120 characters; 1 of emails left out: not valid, such as zzz';
    for (const dryRun of [true, false]) {
      const { body } = await take(book, cards, { dryRun });
      expect(body).toEqual({
        ...{ created: 2, updated: 0, unreadable: [] },
        warnings: [{ entry: 12, reason }],
      });
    }
    expect((await listed(book)).total).toBe(2);
  });

  it.each(['vcard', 'csv'] as const)('leave in parts of about a mebibyte: %s', async (format) => {
    const book = await service.book();
    const notes = 'é'.repeat(2_000);
    const cards = Array.from({ length: 300 }, (_, i) => cardOf(`Name ${i}`, `NOTE:${notes}`));
    for (let at = 0; at < 300; at += 100) await take(book, cards.slice(at, at + 100));
    const parts: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const input: ExportContacts = { id: book.id, format, after };
      const { body }: { body: ExportPart } = await service.call<ExportPart>(
        contactTransfer.export,
        input,
        book,
      );
      parts.push(body.lines);
      after = body.after;
    }
    expect(parts).toHaveLength(2);
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(1.1 * 1024 * 1024);
    const names = parts.join('').match(/\bName \d+/g) ?? [];
    expect(new Set(names).size).toBe(300);
  });

  it('change nothing in a dry run', async () => {
    const book = await service.book();
    await service.contact(book, { displayName: 'Ann' });
    const { body } = await take(
      book,
      ['Ann', 'Bo', 'Bo'].map((name) => cardOf(name)),
      { dryRun: true },
    );
    expect(body).toEqual({ created: 1, updated: 2, unreadable: [], warnings: [] });
    expect((await listed(book)).total).toBe(1);
  });

  it('are refused for a book that is not there', async () => {
    const [book, stranger] = [await service.book(), await service.book()];
    const caller = adminOf(stranger);
    expect((await take({ ...book, tenantId: stranger.tenantId }, [])).problem).toBe(
      'BOOK_NOT_FOUND',
    );
    const input = { id: book.id, format: 'vcard', after: '' } as const;
    expect((await service.call(contactTransfer.export, input, { caller })).problem).toBe(
      'BOOK_NOT_FOUND',
    );
  });

  it.each(['vcard', 'csv'] as const)(
    'come back equal from an export as %s, part by part',
    async (format) => {
      const book = await service.book();
      const entries = Array.from({ length: 600 }, (_, i) =>
        cardOf(`N${i}`, `EMAIL;TYPE=work:n${i}@x.example`, 'NOTE:a\\, b\\nc', 'ORG:=1+1\\; Sons'),
      );
      for (let at = 0; at < 600; at += 100) await take(book, entries.slice(at, at + 100));
      const texts: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const input: ExportContacts = { id: book.id, format, after };
        const caller = adminOf(book);
        const part = await service.call<ExportPart>(contactTransfer.export, input, { caller });
        texts.push(part.body.lines);
        expect(part.body.fileName).toBe(format === 'csv' ? 'contacts.csv' : 'contacts.vcf');
        after = part.body.after;
      }
      expect(texts).toHaveLength(2);
      const whole = texts.join('');
      const copy = await service.book();
      const cut = format === 'vcard' ? /(?<=END:VCARD\r\n)/ : /(?<=\r\n)/;
      const [first = '', ...rest] = whole.split(cut).filter((text) => text !== '');
      const isTable = format === 'csv';
      const given = (isTable ? rest : [first, ...rest]).map(base64);
      const step = isTable ? { mediaType: 'text/csv' as const, header: base64(first) } : {};
      for (let at = 0; at < 600; at += 100) {
        const { body } = await take(copy, given.slice(at, at + 100), step);
        expect(body).toEqual({ created: 100, updated: 0, unreadable: [], warnings: [] });
      }
      const plain = ({ contacts: all }: ContactList) =>
        all.map(({ displayName, emails, notes, organization }) => [
          displayName,
          emails,
          notes,
          organization,
        ]);
      expect(plain(await listed(copy))).toEqual(plain(await listed(book)));
    },
  );
});
