import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  builtIns,
  contacts,
  decode,
  newId,
  type ContactItem,
  type ContactAnswer,
  type ContactList,
  type CreateContact,
  type ListContacts,
} from '@postroom/contracts';
import type { Caller } from '@postroom/access';
import { aMember, anAdmin } from '@postroom/service-testing';
import { DirectoryService, memberKey, type BookOf } from '../testing/directory-service.js';

const ann = { displayName: 'Ann Lee', emails: [{ value: 'ann@lee.example', type: 'work' }] };

describe('contacts', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const list = async (book: BookOf, given: Partial<ListContacts> = {}): Promise<ContactList> => {
    const { input } = decode(contacts.list.input, { texts: { bookId: book.id, ...given } });
    if (!input) throw new Error('no input');
    return (await service.call<ContactList>(contacts.list, input, { caller: book.caller })).body;
  };
  const names = async (book: BookOf, given: Partial<ListContacts> = {}): Promise<string[]> =>
    (await list(book, given)).contacts.map(({ displayName }) => displayName);
  const update = ({ caller }: Pick<BookOf, 'caller'>, id: string, given: object, options = {}) =>
    service.call<ContactAnswer>(contacts.update, { id, ...given }, { caller, ...options });
  const get = ({ caller }: Pick<BookOf, 'caller'>, id: string) =>
    service.call<ContactAnswer>(contacts.get, { id }, { caller });
  const remove = ({ caller }: Pick<BookOf, 'caller'>, id: string, options = {}) =>
    service.call(contacts.remove, { id }, { caller, ...options });

  describe('create', () => {
    it('answers 201 with the contact, and tells it', async () => {
      const book = await service.book();
      const answer = await service.create(book, { ...ann, groups: [' VIP ', 'vip', 'Press'] });
      expect(answer).toMatchObject({ status: 201, problem: null });
      const { contact } = answer.body;
      expect(answer.body).not.toHaveProperty('existed');
      expect(contact).toMatchObject({
        ...ann,
        bookId: book.id,
        groups: ['VIP', 'Press'],
        phones: [],
        notes: null,
        author: { type: 'key' },
        mergedFrom: [],
        version: 1,
      });
      expect(contact).not.toHaveProperty('mergeLog');
      expect(await service.events(book)).toMatchObject([
        {
          type: 'contact.created',
          sequence: 1,
          resource: { type: 'contact', id: contact.id },
          data: contact,
          previous: null,
        },
      ]);
      expect((await get(book, contact.id)).body.contact).toEqual({ ...contact, mergeLog: [] });
      expect(await service.count('volume_deltas', book)).toBe(1);
    });

    it('keeps addresses, birthday and web pages, which null clears', async () => {
      const book = await service.book();
      const street = { street: '1 A', city: null, region: null, postalCode: null };
      const details = {
        addresses: [{ ...street, country: 'FR', type: 'home' }],
        ...{ birthday: '--02-29', urls: [{ value: 'https://a.example', type: null }] },
      };
      const { id } = await service.contact(book, { displayName: 'A', ...details });
      expect((await get(book, id)).body.contact).toMatchObject(details);
      expect((await list(book)).contacts).toMatchObject([details]);
      const cleared = { addresses: null, birthday: null, urls: null };
      const answer = await update(book, id, cleared);
      const none = { addresses: [], birthday: null, urls: [] };
      expect(answer.body.contact).toMatchObject(none);
      const [created, updated] = await service.events(book);
      expect(created).toMatchObject({ data: details });
      expect(updated).toMatchObject({ data: none, previous: details });
    });

    it('derives the name from given and family name, then the first address, then the organization', async () => {
      const book = await service.book();
      const derived = async (given: CreateContact) =>
        (await service.contact(book, given)).displayName;
      const emails = [{ value: 'First@Example.org', type: null }];
      expect(await derived({ givenName: 'Ann', familyName: 'Lee', emails })).toBe('Ann Lee');
      expect(await derived({ familyName: 'Lee', organization: 'Lee Ltd' })).toBe('Lee');
      expect(
        await derived({ emails: [{ value: 'b@x.fr', type: null }, ...emails], organization: 'O' }),
      ).toBe('b@x.fr');
      expect(await derived({ organization: 'Lee Ltd' })).toBe('Lee Ltd');
      const long = 'é'.repeat(80);
      expect(await derived({ givenName: long, familyName: long })).toHaveLength(120);
    });

    it('overwrites what is given of a contact that the book has, and keeps id and author', async () => {
      const book = await service.book();
      const first = await service.contact(book, { ...ann, notes: 'kept', jobTitle: 'old' });
      const other = { ...book, caller: memberKey({ tenantId: book.tenantId }) };
      const emails = [{ value: 'ANN@LEE.example', type: null }];
      const answer = await service.create(other, { emails, jobTitle: 'new' });
      expect(answer).toMatchObject({ status: 200, body: { existed: true } });
      const { contact } = answer.body;
      expect(contact).toMatchObject({
        ...{
          id: first.id,
          author: first.author,
          notes: 'kept',
          jobTitle: 'new',
          emails,
          version: 2,
        },
      });
      const [, event] = await service.events(book);
      expect(event).toMatchObject({
        ...{ type: 'contact.updated', sequence: 2, data: contact },
        previous: { emails: ann.emails, jobTitle: 'old' },
      });
      const again = await service.create(other, { emails, jobTitle: 'new' });
      expect(again).toMatchObject({ status: 200, body: { existed: true, contact } });
      expect(await service.events(book)).toHaveLength(2);
    });

    it('knows a contact without an address by its name', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, { displayName: 'Ann Lee' });
      const same = await service.create(book, { givenName: 'ann', familyName: 'LEE' });
      expect(same).toMatchObject({ status: 200, body: { contact: { id } } });
      expect((await service.create(book, ann)).status).toBe(201);
    });

    it('leaves 5 of 40 concurrent creates of 5 contacts, each created once', async () => {
      const book = await service.book();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          // Other suites use the machine as well: the usual deadline is no part of what is asked here.
          service.create(
            book,
            { emails: [{ value: `c${i % 5}@x.fr`, type: null }] },
            { timeoutMs: 50_000 },
          ),
        ),
      );
      expect(answers.map(({ problem }) => problem)).toEqual(answers.map(() => null));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
      expect(await list(book)).toMatchObject({ total: 5 });
      const events = await service.events(book);
      expect(events.map(({ type }) => type)).toEqual(Array(5).fill('contact.created'));
    });

    it('repeated with its Idempotency-Key tells again that the contact existed', async () => {
      const book = await service.book();
      await service.contact(book, ann);
      const options = { idempotencyKey: 'another-key' };
      await service.create(book, ann, options);
      const again = await service.create(book, ann, options);
      expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': 'hit' } });
    });

    it('is seen, with its book, by those who may read the book', async () => {
      const member = aMember();
      const { tenantId, memberId } = member;
      const access = [{ member: memberId, access: 'read' as const }];
      const book = await service.book({ tenantId, access });
      const containers = [{ type: 'book' as const, id: book.id }];
      const visible = async (caller: Caller): Promise<unknown> =>
        (await service.call(builtIns.directory.visible, { containers }, { caller })).body;
      expect(await visible(member)).toEqual({ containers });
      expect(await visible(aMember({ tenantId }))).toEqual({ containers: [] });
      expect(await visible(aMember())).toEqual({ containers: [] });
    });

    it('previewed shows the contact that it would overwrite, or none', async () => {
      const book = await service.book();
      const { id, version } = await service.contact(book, ann);
      const given = { ...ann, jobTitle: 'Captain' };
      expect((await service.create(book, given, { preview: true })).body).toMatchObject({
        ...{ target: { type: 'contact', id, version }, within: { type: 'book', id: book.id } },
        ...{
          title: 'Ann Lee',
          difference: { before: { jobTitle: null }, after: { jobTitle: 'Captain' } },
        },
      });
      await remove(book, id);
      expect((await service.create(book, ann, { preview: true })).body).toMatchObject({
        ...{ target: null, difference: { before: null } },
      });
    });

    it('refuses an unknown book, one of another workspace, and one out of reach', async () => {
      const [book, stranger] = [await service.book(), await service.book()];
      const hidden = await service.book({ tenantId: book.tenantId, access: [] });
      const into = async (id: string) =>
        (await service.create({ id, caller: book.caller }, ann)).problem;
      expect(await into(newId('abk'))).toBe('BOOK_NOT_FOUND');
      expect(await into(stranger.id)).toBe('BOOK_NOT_FOUND');
      expect(await into(hidden.id)).toBe('FORBIDDEN');
      expect(await service.count('contacts', book)).toBe(0);
    });
  });

  describe('update', () => {
    it('keeps what is absent, clears what is null, and tells the old values', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, { ...ann, notes: 'a', organization: 'Lee Ltd' });
      const answer = await update(book, id, { contact: { notes: null, jobTitle: 'Head' } });
      expect(answer.body.contact).toMatchObject({
        ...{ ...ann, notes: null, jobTitle: 'Head', organization: 'Lee Ltd', version: 2 },
      });
      expect((await service.events(book))[1]).toMatchObject({
        ...{ type: 'contact.updated', sequence: 2, data: answer.body.contact },
        previous: { notes: 'a', jobTitle: null },
      });
    });

    it('derives the name again when it was not given', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, { givenName: 'Ann', familyName: 'Lee' });
      const renamed = await update(book, id, { familyName: 'Ray' });
      expect(renamed.body.contact.displayName).toBe('Ann Ray');
      await update(book, id, { displayName: 'Annie' });
      const named = await update(book, id, { familyName: 'Lee' });
      expect(named.body.contact.displayName).toBe('Annie');
      const cleared = await update(book, id, { displayName: null });
      expect(cleared.body.contact.displayName).toBe('Ann Lee');
    });

    it('changes nothing where nothing is other than before', async () => {
      const book = await service.book();
      const contact = await service.contact(book, ann);
      const answer = await update(book, contact.id, { displayName: ' Ann Lee ' });
      expect(answer.body.contact).toEqual(contact);
      expect(await service.events(book)).toHaveLength(1);
    });

    it('refuses what leaves no name, address or organization', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, ann);
      const answer = await update(book, id, { displayName: ' ', emails: [] });
      expect(answer.problem).toBe('EMPTY_CONTACT');
    });

    it('refuses to become another contact of the book', async () => {
      const book = await service.book();
      await service.contact(book, ann);
      const { id } = await service.contact(book, { displayName: 'Bo' });
      const answer = await update(book, id, { emails: ann.emails });
      expect(answer.problem).toBe('CONTACT_EXISTS');
    });

    it('honours If-Match, as removal does', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, ann);
      expect((await update(book, id, { notes: 'x', ifMatch: 2 })).problem).toBe('VERSION_CONFLICT');
      expect((await update(book, id, { notes: 'x', ifMatch: 1 })).status).toBe(200);
      const { caller } = book;
      const stale = await service.call(contacts.remove, { id, ifMatch: 1 }, { caller });
      expect(stale.problem).toBe('VERSION_CONFLICT');
    });

    it('and removal at once end in one of the two orders', async () => {
      const book = await service.book();
      const { id } = await service.contact(book, ann);
      const [updated, removed] = await Promise.all([
        update(book, id, { notes: 'x' }),
        remove(book, id),
      ]);
      expect(removed.status).toBe(200);
      expect([200, 404]).toContain(updated.status);
      const events = await service.events(book);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
      expect(events.at(-1)?.type).toBe('contact.deleted');
    });
  });

  it('removed are gone, and told once more as they were', async () => {
    const book = await service.book();
    const contact = await service.contact(book, ann);
    expect(await remove(book, contact.id)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await remove(book, contact.id)).problem).toBe('CONTACT_NOT_FOUND');
    expect((await get(book, contact.id)).problem).toBe('CONTACT_NOT_FOUND');
    expect((await service.events(book))[1]).toMatchObject({
      ...{ type: 'contact.deleted', sequence: 2, data: contact },
    });
    expect(await list(book)).toMatchObject({ total: 0 });
    expect((await service.audit(book)).map(({ action }) => action)).toContain('contacts.remove');
  });

  it('of a book out of reach are forbidden, those of another workspace unknown', async () => {
    const book = await service.book({ access: [] });
    const { tenantId } = book;
    const admin = { ...book, caller: anAdmin({ tenantId }) };
    const { id } = await service.contact(admin, ann);
    const problems = async (of: Pick<BookOf, 'caller'>) => [
      (await get(of, id)).problem,
      (await update(of, id, { notes: 'x' })).problem,
      (await remove(of, id)).problem,
      (await service.call(contacts.list, { bookId: book.id, sort: 'name' }, of)).problem,
    ];
    expect(await problems(book)).toEqual(Array(4).fill('FORBIDDEN'));
    const unknown = Array<string>(3).fill('CONTACT_NOT_FOUND');
    expect(await problems(await service.book())).toEqual([...unknown, 'BOOK_NOT_FOUND']);
    expect((await get(admin, id)).status).toBe(200);
    const key = { caller: memberKey({ tenantId, admin: true }) };
    expect((await get(key, id)).status).toBe(200);
  });

  it('of a book that is open to read can be read alone', async () => {
    const memberId = newId('mbr');
    const book = await service.book({ access: [{ member: memberId, access: 'read' }] });
    const { tenantId } = book;
    const { id } = await service.contact({ ...book, caller: anAdmin({ tenantId }) }, ann);
    const reader = { ...book, caller: memberKey({ tenantId, memberId }) };
    expect((await get(reader, id)).status).toBe(200);
    expect((await list(reader)).total).toBe(1);
    expect((await update(reader, id, { notes: 'x' })).problem).toBe('FORBIDDEN');
    expect((await service.create(reader, ann)).problem).toBe('FORBIDDEN');
  });

  describe('list', () => {
    const of = async (
      book: BookOf,
      all: readonly (CreateContact | string)[],
    ): Promise<ContactItem[]> => {
      const made: ContactItem[] = [];
      for (const one of all) {
        made.push(
          await service.contact(book, typeof one === 'string' ? { displayName: one } : one),
        );
      }
      return made;
    };

    it('sorts by name in French order', async () => {
      const book = await service.book();
      await of(book, ['Zoé', 'cote', 'Émile', 'côte', 'coté', 'Œuvre', 'Emilie', 'Olga', 'côté']);
      expect(await names(book)).toEqual([
        ...['cote', 'coté', 'côte', 'côté', 'Émile', 'Emilie', 'Œuvre', 'Olga', 'Zoé'],
      ]);
    });

    it('sorts by change, the last first', async () => {
      const book = await service.book();
      const [first] = await of(book, ['A', 'B', 'C']);
      await update(book, first?.id ?? '', { notes: 'x' });
      expect(await names(book, { sort: 'updated' })).toEqual(['A', 'C', 'B']);
    });

    it('finds names without regard to accents, and parts of addresses', async () => {
      const book = await service.book();
      await of(book, [
        { displayName: 'Hélène Cœur', organization: 'Société Générale' },
        { displayName: 'Bo', emails: [{ value: 'sales@nordlicht.example', type: null }] },
        { displayName: '100 % pur_jus' },
      ]);
      for (const q of ['helene', 'HÉLÈNE', 'coeur', 'Œur hél', 'société', 'el', 'generale coeur']) {
        expect({ q, names: await names(book, { q }) }).toEqual({ q, names: ['Hélène Cœur'] });
      }
      for (const q of ['nordlicht', 'LES@nord', 'es@no', 'sales@nordlicht.example']) {
        expect({ q, names: await names(book, { q }) }).toEqual({ q, names: ['Bo'] });
      }
      for (const q of ['%', 'r_j', '100 %'])
        expect(await names(book, { q })).toEqual(['100 % pur_jus']);
      expect(await names(book, { q: 'helene bo' })).toEqual([]);
      expect(await names(book, { q: '  ' })).toHaveLength(3);
    });

    it('keeps to a group, without regard to case', async () => {
      const book = await service.book();
      await of(book, [
        { displayName: 'A', groups: ['Clients Étrangers'] },
        { displayName: 'B', groups: ['clients étrangers', 'x'] },
        { displayName: 'C', groups: ['x'] },
      ]);
      expect(await names(book, { group: 'CLIENTS étrangers' })).toEqual(['A', 'B']);
      expect(await names(book, { group: 'x', q: 'c' })).toEqual(['C']);
      expect(await names(book, { group: 'clients' })).toEqual([]);
      const groups = (bookId: string, caller = book.caller) =>
        service.call(contacts.groups, { bookId }, { caller });
      expect((await groups(book.id)).body).toEqual({
        groups: [
          { group: 'Clients Étrangers', contacts: 2 },
          { group: 'x', contacts: 2 },
        ],
        truncated: false,
      });
      const stranger = await service.book();
      expect(await groups(book.id, stranger.caller)).toMatchObject({ problem: 'BOOK_NOT_FOUND' });
      expect((await groups(stranger.id, stranger.caller)).body).toMatchObject({ groups: [] });
    });

    it('shows the books that the member may read, without logs', async () => {
      const book = await service.book();
      const { tenantId } = book;
      const other = await service.book({ tenantId });
      const hidden = await service.book({ tenantId, access: [] });
      await of(book, ['A', 'C']);
      await of(other, ['B']);
      await of({ ...hidden, caller: anAdmin({ tenantId }) }, ['D']);
      const all = async (given: Partial<ListContacts>, caller = book.caller) => {
        const input = { sort: 'name' as const, ...given };
        return (await service.call<ContactList>(contacts.list, input, { caller })).body;
      };
      const shown = await all({});
      expect(shown).toMatchObject({ total: 3, truncated: false });
      expect(shown.contacts.map(({ displayName }) => displayName)).toEqual(['A', 'B', 'C']);
      expect(shown.contacts[0]).not.toHaveProperty('mergeLog');
      expect((await all({ sort: 'updated' })).contacts[0]?.displayName).toBe('B');
      expect((await all({ q: 'd' })).total).toBe(0);
      expect((await all({ q: 'd' }, anAdmin({ tenantId }))).total).toBe(1);
    });

    it('ends at 2,000 contacts, and counts all', async () => {
      const book = await service.book();
      await service.contact(book, ann);
      await service.rows(
        `INSERT INTO contacts
         SELECT (jsonb_populate_record(c, jsonb_build_object(
           'id', 'ctc_' || lpad(i::text, 26, '0'), 'display_name', 'N' || lpad(i::text, 4, '0'),
           'dedupe_key', '\\x' || md5(i::text)))).*
         FROM contacts c, generate_series(1, 2000) i WHERE c.book_id = $1`,
        [book.id],
      );
      await service.rows('UPDATE address_books SET contact_count = 2001 WHERE id = $1', [book.id]);
      const plain = await list(book);
      expect(plain).toMatchObject({ total: 2001, truncated: true });
      expect(plain.contacts).toHaveLength(2000);
      expect(plain.contacts[0]?.displayName).toBe('Ann Lee');
      const found = await list(book, { q: 'ann' });
      expect(found).toMatchObject({ total: 2001, truncated: true });
      expect(found.contacts).toHaveLength(2000);
    });
  });
});
