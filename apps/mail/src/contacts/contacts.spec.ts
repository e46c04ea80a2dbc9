import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  conversations,
  newId,
  unknownId,
  type BookChanged,
  type Contact,
  type ConversationAnswer,
  type ConversationContact,
  type ConversationPage,
  type EventEnvelope,
  type EventType,
} from '@postroom/contracts';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

const now = new Date().toISOString();
const ofMember = { id: newId('mbr'), email: 'max@acme.test' };

describe('contacts beside mail', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const book = async (
    { tenantId }: MailboxOf,
    given: Partial<BookChanged['book']> = {},
  ): Promise<string> => {
    const { id = newId('abk') } = given;
    const said = { id, isShared: true, isDeleted: false, memberIds: [], ...given };
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
    const until = Date.now() + 5000;
    let shown = await listed(mailbox);
    while (JSON.stringify(shown) !== JSON.stringify(wanted) && Date.now() < until) {
      shown = await listed(mailbox);
    }
    expect(shown).toEqual(wanted);
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

  it('of another workspace are not shown', async () => {
    const [mailbox, stranger] = [await received(), await received()];
    await tell(stranger, 'contact.created', 1, ann(await book(stranger)));
    await tell(mailbox, 'contact.created', 1, ann(unknownId('abk')));
    expect(await listed(mailbox)).toBeNull();
  });
});
