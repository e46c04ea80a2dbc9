import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  conversations,
  learntContacts,
  newId,
  unknownId,
  type BookChanged,
  type Contact,
  type ContactBesideMail,
  type ConversationAnswer,
  type ConversationContact,
  type ConversationPage,
  type Done,
  type EventEnvelope,
  type EventType,
  type LearnContactPage,
  type ReadableBook,
} from '@postroom/contracts';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from './testing/mail-service.js';

const now = new Date().toISOString();
const ofMember = { id: newId('mbr'), email: 'max@acme.test' };

describe('contacts beside mail', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  let bookSequence = 0;
  const book = async (
    { tenantId }: MailboxOf,
    given: Partial<BookChanged['book']> = {},
  ): Promise<string> => {
    const { id = newId('abk') } = given;
    const sequence = ++bookSequence;
    const said = { id, isShared: true, isDeleted: false, memberIds: [], sequence, ...given };
    const envelope = JSON.stringify({ occurredAt: new Date().toISOString(), book: said });
    const record = { id: newId('evn'), type: 'book.changed', tenantId, resource: id } as const;
    await service.bus.emit([{ ...record, envelope }]);
    return id;
  };
  let at = Date.now();
  const tell = async (
    { tenantId }: MailboxOf,
    type: EventType & `contact.${string}`,
    sequence: number,
    data: Contact,
    occurredAt = new Date((at += 1000)).toISOString(),
  ): Promise<void> => {
    const id = newId('evn');
    const event: EventEnvelope = {
      ...{ id, type, occurredAt, tenantId, apiVersion: 'v1', sequence, source: 'api', data },
      resource: { type: 'contact', id: data.id },
      actor: { type: 'key', id: newId('key') },
      previous: type === 'contact.updated' || type === 'contact.merged' ? {} : null,
    };
    const envelope = JSON.stringify(event);
    await service.bus.emit([{ id, type, tenantId, resource: data.id, envelope }]);
  };
  const ann = (bookId: string, given: Partial<Contact> = {}): Contact => ({
    ...{ id: newId('ctc'), bookId, displayName: 'Ann Lee', givenName: null, familyName: null },
    ...{ phones: [], organization: null, jobTitle: null, groups: [], notes: null },
    emails: [{ value: 'Ann@lee.example', type: null }],
    author: { type: 'key', id: newId('key') },
    ...{ mergedFrom: [], mergeLog: [], createdAt: now, updatedAt: now, version: 1 },
    ...given,
  });

  const received = async (from = 'ANN@Lee.example'): Promise<MailboxOf> => {
    const mailbox = await service.mailbox();
    await service.send({ from: `Somebody <${from}>`, to: mailbox.address });
    return mailbox;
  };
  const listed = async (
    { tenantId, address }: MailboxOf,
    given?: Caller,
  ): Promise<ConversationContact | null | undefined> => {
    const caller = given ?? aKey({ tenantId, member: ofMember });
    const input = { mailbox: address, limit: 10, placement: 'inbox' as const };
    const page = await service.call<ConversationPage>(conversations.list, input, { caller });
    return page.body.conversations[0]?.contact;
  };
  const shows = async (mailbox: MailboxOf, wanted: ConversationContact | null): Promise<void> => {
    const isWanted = (shown?: ConversationContact | null) => isDeepStrictEqual(shown, wanted);
    await eventually(() => listed(mailbox), isWanted);
  };

  it('are the contact of the outside sender, in the list and in the detail', async () => {
    const mailbox = await received();
    expect(await listed(mailbox)).toBeNull();
    const contact = ann(await book(mailbox));
    await tell(mailbox, 'contact.created', 1, contact);
    await shows(mailbox, { id: contact.id, name: 'Ann Lee' });
    const { tenantId, address } = mailbox;
    const caller = aMember({ tenantId });
    const [item] = await service.list(mailbox);
    const input = { mailbox: address, id: item?.id ?? '' };
    const detail = await service.call<ConversationAnswer>(conversations.get, input, { caller });
    expect(detail.body.conversation.contact).toEqual({ id: contact.id, name: 'Ann Lee' });
  });

  it('are found whatever the spelling of the domain', async () => {
    const mailbox = await received('ann@xn--bcher-kva.example');
    const emails = [{ value: 'ann@bücher.example', type: null }];
    const contact = ann(await book(mailbox), { emails });
    await tell(mailbox, 'contact.created', 1, contact);
    await shows(mailbox, { id: contact.id, name: 'Ann Lee' });
  });

  it('follow changes, and end with the contact', async () => {
    const mailbox = await received();
    const contact = ann(await book(mailbox));
    await tell(mailbox, 'contact.created', 1, contact);
    await tell(mailbox, 'contact.updated', 2, { ...contact, displayName: 'Annie' });
    await shows(mailbox, { id: contact.id, name: 'Annie' });
    await tell(mailbox, 'contact.updated', 3, { ...contact, emails: [] });
    await shows(mailbox, null);
    await tell(mailbox, 'contact.updated', 4, contact);
    await tell(mailbox, 'contact.deleted', 5, contact);
    await shows(mailbox, null);
  });

  it('are the survivor’s once merged, even if older events come later, and part again', async () => {
    const mailbox = await received();
    const bookId = await book(mailbox);
    const [merged, survivor] = [ann(bookId), ann(bookId, { displayName: 'Survivor', emails: [] })];
    const [before, mergedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    await tell(mailbox, 'contact.created', 1, merged, '2025-12-01T00:00:00.000Z');
    const both = { ...survivor, emails: merged.emails, mergedFrom: [merged.id] };
    await tell(mailbox, 'contact.merged', 2, both, mergedAt);
    await tell(mailbox, 'contact.updated', 2, merged, before);
    await shows(mailbox, { id: survivor.id, name: 'Survivor' });
    await tell(mailbox, 'contact.created', 3, merged);
    await tell(mailbox, 'contact.updated', 3, survivor);
    await shows(mailbox, { id: merged.id, name: 'Ann Lee' });
  });

  it('of a book out of reach are not shown, nor without scope or member', async () => {
    const mailbox = await received();
    const { tenantId } = mailbox;
    const bookId = await book(mailbox, { isShared: false, memberIds: [ofMember.id] });
    const contact = ann(bookId);
    await tell(mailbox, 'contact.created', 1, contact);
    const wanted = { id: contact.id, name: 'Ann Lee' };
    await shows(mailbox, wanted);
    expect(await listed(mailbox, aMember({ tenantId }))).toBeNull();
    expect(await listed(mailbox, anAdmin({ tenantId }))).toEqual(wanted);
    expect(await listed(mailbox, aKey({ tenantId }))).toBeNull();
    const scopes = ['read:conversations'] as const;
    expect(await listed(mailbox, aKey({ tenantId, member: ofMember, scopes }))).toBeNull();
    expect(await listed(mailbox, aKey({ tenantId, member: ofMember, admin: true }))).toEqual(
      wanted,
    );
    await book(mailbox, { id: bookId, isShared: false, memberIds: [] });
    await shows(mailbox, null);
    await book(mailbox, { id: bookId });
    await shows(mailbox, wanted);
    await book(mailbox, { id: bookId, isDeleted: true });
    await shows(mailbox, null);
  });

  describe('that are rebuilt', () => {
    const pageOf = (
      { id, bookId, displayName, emails, updatedAt }: Contact,
      given: Partial<ContactBesideMail> = {},
    ): ContactBesideMail => ({
      ...{ id, bookId, name: displayName, addresses: emails.map(({ value }) => value) },
      ...{ sequence: 1, changedAt: updatedAt, ...given },
    });
    const openBook = (given: Partial<ReadableBook> = {}): ReadableBook => ({
      ...{ id: newId('abk'), isShared: true, memberIds: [], sequence: 1, ...given },
    });
    const rebuilt = async (
      { tenantId }: MailboxOf,
      given: Partial<LearnContactPage>,
    ): Promise<void> => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const whole = { books: [], contacts: [], from: '', after: null, at: soon };
      const caller = anAdmin({ tenantId });
      const input = { ...whole, ...given };
      const answer = await service.call<Done>(learntContacts.learn, input, { caller });
      expect(answer.problem).toBeNull();
    };

    it('are what the directory has, however little was known or much that is gone', async () => {
      const mailbox = await received();
      const [readable, lost] = [openBook(), ann('', { displayName: 'Lost' })];
      const wanted = { id: lost.id, name: 'Lost' };
      const contacts = [pageOf({ ...lost, bookId: readable.id })];
      await rebuilt(mailbox, { books: [readable], contacts });
      expect(await listed(mailbox)).toEqual(wanted);
      await rebuilt(mailbox, { books: [readable], contacts });
      expect(await listed(mailbox)).toEqual(wanted);
      await rebuilt(mailbox, { books: [readable] });
      expect(await listed(mailbox)).toBeNull();
    });

    it('are what the directory has, whose numbers are lower since it was restored', async () => {
      const mailbox = await received();
      const bookId = await book(mailbox, { sequence: 1000 });
      const contact = ann(bookId);
      await tell(mailbox, 'contact.updated', 8, { ...contact, displayName: 'Later' });
      await shows(mailbox, { id: contact.id, name: 'Later' });
      await tell(mailbox, 'contact.deleted', 9, contact);
      await shows(mailbox, null);
      const own = { id: bookId, isShared: false, memberIds: [ofMember.id], sequence: 2 };
      const contacts = [pageOf(contact, { sequence: 5 })];
      await rebuilt(mailbox, { books: [openBook(own)], contacts });
      const wanted = { id: contact.id, name: 'Ann Lee' };
      expect(await listed(mailbox)).toEqual(wanted);
      expect(await listed(mailbox, aMember({ tenantId: mailbox.tenantId }))).toBeNull();
      await tell(mailbox, 'contact.updated', 6, { ...contact, displayName: 'Next' });
      await shows(mailbox, { ...wanted, name: 'Next' });
    });

    it('leave alone what lies beyond a page', async () => {
      const mailbox = await received();
      const readable = openBook();
      const contact = ann(readable.id);
      await rebuilt(mailbox, { books: [readable], contacts: [pageOf(contact)] });
      await rebuilt(mailbox, { after: contact.id.slice(0, -1) });
      await rebuilt(mailbox, { from: contact.id });
      expect(await listed(mailbox)).toEqual({ id: contact.id, name: 'Ann Lee' });
    });

    it('are not those of a page that events have overtaken', async () => {
      const mailbox = await received();
      const bookId = await book(mailbox);
      const [renamed, deleted, merged] = [ann(bookId), ann(bookId), ann(bookId)];
      const read = [renamed, deleted, merged].map((contact) => pageOf(contact));
      await tell(mailbox, 'contact.updated', 2, { ...renamed, displayName: 'New' });
      await tell(mailbox, 'contact.deleted', 2, deleted);
      const survivor = { ...renamed, displayName: 'Newer', mergedFrom: [merged.id] };
      await tell(mailbox, 'contact.merged', 3, survivor);
      const wanted = { id: renamed.id, name: 'Newer' };
      await shows(mailbox, wanted);
      await rebuilt(mailbox, { contacts: read, at: new Date().toISOString() });
      expect(await listed(mailbox)).toEqual(wanted);
      await tell(mailbox, 'contact.deleted', 4, survivor);
      await shows(mailbox, null);
    });

    it('keep what an event told of within a minute of the page that lacks it', async () => {
      const mailbox = await received();
      const contact = ann(await book(mailbox));
      const at = new Date();
      await tell(mailbox, 'contact.created', 1, contact, at.toISOString());
      const wanted = { id: contact.id, name: 'Ann Lee' };
      await shows(mailbox, wanted);
      await rebuilt(mailbox, { at: new Date(at.getTime() + 59_000).toISOString() });
      expect(await listed(mailbox)).toEqual(wanted);
      await rebuilt(mailbox, { at: new Date(at.getTime() + 61_000).toISOString() });
      expect(await listed(mailbox)).toBeNull();
    });

    it('are shown to nobody from whom an event has taken the book meanwhile', async () => {
      const mailbox = await received();
      const id = await book(mailbox, { sequence: 1 });
      const contact = ann(id);
      await tell(mailbox, 'contact.created', 1, contact);
      await shows(mailbox, { id: contact.id, name: 'Ann Lee' });
      await book(mailbox, { id, isShared: false, sequence: 3 });
      await shows(mailbox, null);
      const page = { books: [openBook({ id, sequence: 2 })], from: contact.id };
      await rebuilt(mailbox, { ...page, at: new Date().toISOString() });
      expect(await listed(mailbox)).toBeNull();
    });
  });

  it('of another workspace are not shown', async () => {
    const [mailbox, stranger] = [await received(), await received()];
    await tell(stranger, 'contact.created', 1, ann(await book(stranger)));
    await tell(mailbox, 'contact.created', 1, ann(unknownId('abk')));
    expect(await listed(mailbox)).toBeNull();
  });
});
