import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  keptSenders,
  newId,
  unknownId,
  type ContactCreated,
  type KeepSender,
} from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from './testing/directory-service.js';

describe('senders', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const keep = (
    { id: bookId, tenantId }: Pick<BookOf, 'id' | 'tenantId'>,
    given: Omit<KeepSender, 'bookId'>,
    caller = aMember({ tenantId }),
  ) => service.call<ContactCreated>(keptSenders.keep, { bookId, ...given }, { caller });
  const ann = { email: 'Ann@lee.example', name: 'Ann Lee' };

  it('become contacts with their address and name, and are told', async () => {
    const book = await service.book();
    const answer = await keep(book, ann);
    const { contact } = answer.body;
    expect(answer).toMatchObject({ status: 201, problem: null });
    expect(answer.body).toEqual({ contact });
    expect(contact).toMatchObject({
      ...{ bookId: book.id, displayName: 'Ann Lee', author: { type: 'member' } },
      emails: [{ value: 'Ann@lee.example', type: null }],
    });
    const events = await service.events(book);
    expect(events).toMatchObject([{ type: 'contact.created', data: contact }]);
    expect(await service.audit(book)).toContainEqual(
      expect.objectContaining({ action: 'senderContacts.create', subjectId: contact.id }),
    );
  });

  it('that the book has already are answered as they are, and nothing is told', async () => {
    const book = await service.book();
    const emails = [
      { value: 'ann@LEE.example', type: 'work' },
      { value: 'other@lee.example', type: null },
    ];
    const contact = await service.contact(book, { displayName: 'My Ann', emails });
    const answer = await keep(book, ann);
    expect(answer).toMatchObject({ status: 200, body: { contact, existed: true } });
    expect(await service.events(book)).toHaveLength(1);
  });

  it('are one contact, however many ask at once', async () => {
    const book = await service.book();
    const answers = await Promise.all(Array.from({ length: 10 }, () => keep(book, ann)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.contact.id)).size).toBe(1);
  });

  it('with hostile names are held to the limits of a contact', async () => {
    const book = await service.book();
    const name = `A\u0000nn\r\nBcc: x@y.example ${'z'.repeat(500)}`;
    const long = (await keep(book, { email: 'a@x.example', name })).body.contact;
    expect(long.displayName).toMatch(/^Ann Bcc: x@y\.example z+$/);
    expect(long.displayName).toHaveLength(120);
    const bare = (await keep(book, { email: 'b@x.example', name: 'b@x.example' })).body.contact;
    expect(bare.displayName).toBe('b@x.example');
    const named = (await keep(book, { email: 'no address', name: 'Somebody' })).body.contact;
    expect(named).toMatchObject({ displayName: 'Somebody', emails: [] });
    expect((await keep(book, { email: 'no address', name: null })).problem).toBe('EMPTY_CONTACT');
  });

  it('are kept in books that the member may write, and in no other', async () => {
    const { tenantId } = await service.book();
    const reader = aMember({ tenantId, memberId: newId('mbr') });
    const access = [{ member: reader.memberId, access: 'read' as const }];
    const book = await service.book({ tenantId, access });
    expect((await keep(book, ann, reader)).problem).toBe('FORBIDDEN');
    const unknown = { tenantId, id: unknownId('abk') };
    expect((await keep(unknown, ann)).problem).toBe('BOOK_NOT_FOUND');
    const foreign = { tenantId, id: (await service.book()).id };
    expect((await keep(foreign, ann)).problem).toBe('BOOK_NOT_FOUND');
  });
});
