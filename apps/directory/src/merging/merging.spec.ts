import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactMerging,
  contacts,
  newId,
  type Contact,
  type ContactAnswer,
  type ContactList,
  type DuplicateList,
  type Merged,
  type Unmerged,
} from '@postroom/contracts';
import { anAdmin, aMember } from '@postroom/service-testing';
import { DirectoryService, type BookOf } from '../testing/directory-service.js';

const address = (value: string) => ({ value, type: null });
const place = (street: string) => ({
  ...{ street, city: null, region: null, postalCode: null, country: null, type: null },
});

describe('merging', () => {
  let service: DirectoryService;
  beforeAll(async () => {
    service = await DirectoryService.start();
  });
  afterAll(() => service.close());

  const memberOf = ({ tenantId }: BookOf) => aMember({ tenantId });
  const merge = (book: BookOf, survivorId: string, mergedIds: string[], caller = memberOf(book)) =>
    service.call<Merged>(contactMerging.merge, { survivorId, mergedIds }, { caller });
  const unmerge = (book: BookOf, mergedId: string, caller = memberOf(book)) =>
    service.call<Unmerged>(contactMerging.unmerge, { mergedId }, { caller });
  const update = (book: BookOf, id: string, given: object) =>
    service.call<ContactAnswer>(contacts.update, { id, ...given }, { caller: book.caller });
  const get = ({ caller }: BookOf, id: string) =>
    service.call<ContactAnswer>(contacts.get, { id }, { caller });
  const all = async (book: BookOf): Promise<ContactList> => {
    const input = { bookId: book.id, sort: 'name' as const };
    return (await service.call<ContactList>(contacts.list, input, { caller: book.caller })).body;
  };

  it('gives the survivor what it lacks, and unions of its lists, and logs it', async () => {
    const book = await service.book();
    const survivor = await service.contact(book, {
      displayName: 'Ann Lee',
      emails: [address('ann@lee.example')],
      jobTitle: 'Head',
      groups: ['VIP'],
    });
    const merged = await service.contact(book, {
      displayName: 'Annie',
      familyName: 'Lee',
      emails: [address('annie@lee.example'), address('ANN@lee.example')],
      phones: [address('+33 1 23 45 67 89')],
      jobTitle: 'Chief',
      groups: ['vip', 'Press'],
    });
    const member = memberOf(book);
    const answer = await merge(book, survivor.id, [merged.id], member);
    expect(answer).toMatchObject({ status: 200 });
    const { contact } = answer.body;
    const by = { type: 'member', id: member.memberId };
    expect(contact).toEqual({
      ...survivor,
      familyName: 'Lee',
      emails: [address('ann@lee.example'), address('annie@lee.example')],
      phones: [address('+33 1 23 45 67 89')],
      groups: ['VIP', 'Press'],
      mergedFrom: [merged.id],
      mergeLog: [
        {
          ...{ at: contact.updatedAt, by, mergedId: merged.id },
          fields: ['familyName', 'emails', 'phones', 'groups'],
        },
      ],
      updatedAt: contact.updatedAt,
      version: 2,
    });
    expect((await get(book, survivor.id)).body.contact).toEqual(contact);
    expect((await get(book, merged.id)).problem).toBe('CONTACT_NOT_FOUND');
    expect((await update(book, merged.id, { notes: 'x' })).problem).toBe('CONTACT_NOT_FOUND');
    expect((await all(book)).total).toBe(1);
    const events = await service.events(book);
    expect(events.map(({ type }) => type)).toEqual([
      ...['contact.created', 'contact.created', 'contact.merged'],
    ]);
    expect(events[2]).toMatchObject({
      ...{ resource: { id: survivor.id }, sequence: 2, data: contact, actor: by },
      previous: { familyName: null, phones: [], groups: ['VIP'], mergedFrom: [], mergeLog: [] },
    });
    const edited = await update(book, survivor.id, { contact: { mergedFrom: [], notes: 'x' } });
    expect(edited.body.contact).not.toHaveProperty('mergeLog');
    expect((await get(book, survivor.id)).body.contact).toMatchObject({
      notes: 'x',
      mergedFrom: [merged.id],
      mergeLog: contact.mergeLog,
    });
  });

  it('keeps lists to their limits, and answers what had no room', async () => {
    const book = await service.book();
    const numbered = (of: string, count: number) =>
      Array.from({ length: count }, (_, i) => address(`${of}${i}@x.fr`));
    const one = await service.contact(book, {
      ...{ emails: numbered('a', 8), phones: [address('06 12 34 56 78')], notes: 'own' },
      ...{ addresses: [place('1 Main St.')], urls: [address('https://x.fr/')] },
    });
    const other = await service.contact(book, {
      ...{ emails: numbered('b', 8), groups: ['VIP'], notes: 'other', birthday: '--02-29' },
      addresses: ['1 MAIN ST', 'b', 'c', 'd', 'e'].map(place),
      // The same number in another spelling.
      phones: [address('+33612345678')],
    });
    const third = await service.contact(book, {
      emails: [...numbered('c', 2), address('B7@x.fr')],
      ...{ addresses: [place('f')], birthday: '1990-01-31', urls: [address('https://x.fr')] },
    });
    const { contact, leftOut } = (await merge(book, one.id, [other.id, third.id])).body;
    expect(contact.emails).toEqual([...numbered('a', 8), ...numbered('b', 2)]);
    expect(contact.phones).toEqual([address('06 12 34 56 78')]);
    const beyond = [...numbered('b', 8).slice(2), ...numbered('c', 2)];
    expect(leftOut).toEqual({
      ...{ emails: beyond, phones: [], groups: [], notes: ['other'] },
      ...{ addresses: [place('f')], urls: [] },
    });
    expect(contact).toMatchObject({
      addresses: ['1 Main St.', 'b', 'c', 'd', 'e'].map(place),
      ...{ birthday: '--02-29', urls: [address('https://x.fr/')] },
    });
    const undone = (await unmerge(book, other.id)).body;
    expect(undone.contact).toMatchObject({ birthday: '--02-29', addresses: other.addresses });
    expect(undone.survivor).toMatchObject({
      addresses: [place('1 Main St.')],
      birthday: '1990-01-31',
    });
  });

  it('names ten of the fields that a contact gave, and gives back all', async () => {
    const book = await service.book();
    const survivor = await service.contact(book, { emails: [address('a@x.fr')] });
    const whole = await service.contact(book, {
      ...{ displayName: 'B', givenName: 'B', familyName: 'C', organization: 'O', jobTitle: 'J' },
      ...{ notes: 'N', birthday: '1990-01-31', emails: [address('b@x.fr')], groups: ['G'] },
      ...{ phones: [address('+33 1')], addresses: [place('s')], urls: [address('https://x.fr')] },
    });
    const { contact } = (await merge(book, survivor.id, [whole.id])).body;
    expect(contact.mergeLog[0]?.fields).toHaveLength(10);
    expect(contact).toMatchObject({ birthday: '1990-01-31', urls: whole.urls });
    const undone = (await unmerge(book, whole.id)).body;
    expect(undone.contact).toMatchObject({ displayName: 'B', urls: whole.urls });
    expect(undone.survivor).toMatchObject({
      ...survivor,
      updatedAt: undone.survivor.updatedAt,
      version: 3,
    });
  });

  it('tells once for each contact that was merged', async () => {
    const book = await service.book();
    const [one, ...others] = await Promise.all(
      ['a', 'b', 'c'].map((name) => service.contact(book, { emails: [address(`${name}@x.fr`)] })),
    );
    await merge(
      book,
      one?.id ?? '',
      others.map(({ id }) => id),
    );
    const merged = (await service.events(book)).filter(({ type }) => type === 'contact.merged');
    expect(merged.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(merged.map(({ data }) => (data as Contact).emails.length)).toEqual([2, 3]);
  });

  it('takes the log of a survivor that is merged in its turn', async () => {
    const book = await service.book();
    const [a, b, c] = [
      await service.contact(book, { displayName: 'A' }),
      await service.contact(book, { displayName: 'B' }),
      await service.contact(book, { displayName: 'C' }),
    ];
    await merge(book, b.id, [c.id]);
    const { contact } = (await merge(book, a.id, [b.id])).body;
    expect(contact.mergedFrom).toEqual([c.id, b.id]);
    expect(contact.mergeLog.map(({ mergedId }) => mergedId)).toEqual([c.id, b.id]);
    expect((await unmerge(book, c.id)).problem).toBe('MERGE_CHANGED');
    const undone = await unmerge(book, b.id);
    expect(undone.body).toMatchObject({
      ...{ survivor: { id: a.id, mergedFrom: [], mergeLog: [] } },
      contact: { id: b.id, mergedFrom: [c.id] },
    });
    expect((await unmerge(book, c.id)).status).toBe(200);
    expect((await all(book)).total).toBe(3);
  });

  it('refuses itself, a merged one, another book, another workspace, and a book out of reach', async () => {
    const book = await service.book();
    const other = await service.book({ tenantId: book.tenantId });
    const stranger = await service.book();
    const [a, b] = [
      await service.contact(book, { displayName: 'A' }),
      await service.contact(book, { displayName: 'B' }),
    ];
    const elsewhere = await service.contact(other, { displayName: 'C' });
    const foreign = await service.contact(stranger, { displayName: 'D' });
    const problem = async (mergedId: string, caller = memberOf(book)) =>
      (await merge(book, a.id, [mergedId], caller)).problem;
    expect(await problem(elsewhere.id)).toBe('INVALID_REQUEST');
    expect(await problem(foreign.id)).toBe('CONTACT_NOT_FOUND');
    expect(await problem(newId('ctc'))).toBe('CONTACT_NOT_FOUND');
    expect(await problem(b.id, memberOf(stranger))).toBe('CONTACT_NOT_FOUND');
    for (const mergedIds of [[], [a.id], [b.id, a.id]])
      expect(contactMerging.merge.rule?.({ survivorId: a.id, mergedIds })).toHaveLength(1);
    await merge(book, a.id, [b.id]);
    expect(await problem(b.id)).toBe('CONTACT_NOT_FOUND');
    expect((await merge(book, b.id, [a.id])).problem).toBe('CONTACT_NOT_FOUND');
    const hidden = await service.book({ access: [] });
    const admin = { ...hidden, caller: anAdmin({ tenantId: hidden.tenantId }) };
    const two = [
      await service.contact(admin, { displayName: 'A' }),
      await service.contact(admin, { displayName: 'B' }),
    ].map(({ id }) => id);
    expect((await merge(hidden, two[0] ?? '', two.slice(1))).problem).toBe('FORBIDDEN');
  });

  it('of 50 pairs crosswise at once loses no contact and no address', async () => {
    const book = await service.book();
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        service.contact(book, { displayName: `N${i}`, emails: [address(`c${i}@x.fr`)] }),
      ),
    );
    const ids = made.map(({ id }) => id);
    const pairs = Array.from({ length: 50 }, (_, i) => {
      const [one, other] = [ids[i % 10] ?? '', ids[(i * 3 + 1 + (i % 9)) % 10] ?? ''];
      return one === other ? [one, ids[(ids.indexOf(one) + 1) % 10] ?? ''] : [one, other];
    });
    const answers = await Promise.all(
      pairs.map(([one = '', other = '']) => merge(book, one, [other])),
    );
    const problems = new Set(answers.map(({ problem }) => problem));
    expect([...problems].filter((one) => one !== null && one !== 'CONTACT_NOT_FOUND')).toEqual([]);
    const { contacts: left, total } = await all(book);
    expect(total).toBe(left.length);
    expect(left.length + answers.filter(({ status }) => status === 200).length).toBe(10);
    const addresses = left.flatMap(({ emails }) => emails.map(({ value }) => value));
    expect(addresses.sort()).toEqual(
      made.flatMap(({ emails }) => emails.map(({ value }) => value)),
    );
  });

  it('with a create of the merged contact at once ends in one of the two orders', async () => {
    const book = await service.book();
    const one = await service.contact(book, { displayName: 'A', emails: [address('a@x.fr')] });
    const other = await service.contact(book, { displayName: 'B', emails: [address('b@x.fr')] });
    const [merged, created] = await Promise.all([
      merge(book, one.id, [other.id]),
      service.create(book, { emails: [address('b@x.fr')], notes: 'x' }),
    ]);
    expect(merged.status).toBe(200);
    expect((await all(book)).total).toBe(created.status === 201 ? 2 : 1);
  });

  describe('undone', () => {
    const pair = async (book: BookOf) => {
      const one = await service.contact(book, { displayName: 'A', emails: [address('a@x.fr')] });
      const other = await service.contact(book, {
        ...{
          displayName: 'B',
          emails: [address('b@x.fr')],
          notes: 'of B',
          phones: [address('12')],
        },
      });
      await merge(book, one.id, [other.id]);
      return [one, other] as const;
    };

    it('leaves both as they were, and tells of both', async () => {
      const book = await service.book();
      const [one, other] = await pair(book);
      const { status, body } = await unmerge(book, other.id);
      expect(status).toBe(200);
      const stamps = { updatedAt: body.contact.updatedAt };
      const noLog = { mergeLog: [] };
      expect(body.contact).toEqual({ ...other, ...stamps, ...noLog, version: 2 });
      expect(body.survivor).toEqual({ ...one, ...stamps, ...noLog, version: 3 });
      expect((await get(book, other.id)).body.contact).toEqual(body.contact);
      expect((await all(book)).total).toBe(2);
      const events = await service.events(book);
      const told = events
        .slice(3)
        .map(({ type, sequence, resource }) => [type, sequence, resource.id]);
      expect(told).toEqual([
        ['contact.created', 2, other.id],
        ['contact.updated', 3, one.id],
      ]);
      expect((await unmerge(book, other.id)).problem).toBe('CONTACT_NOT_FOUND');
    });

    it('leaves the survivor what another that is still merged gave too', async () => {
      const book = await service.book();
      const given = (name: string) => ({
        ...{ emails: [address(`${name}@x.fr`), address('sh@x.fr')], groups: ['VIP', name] },
        organization: `${name} Ltd`,
      });
      const one = await service.contact(book, { displayName: 'S0' });
      const [first, second] = [
        await service.contact(book, given('s1')),
        await service.contact(book, given('s2')),
      ];
      await merge(book, one.id, [first.id, second.id]);
      const { survivor } = (await unmerge(book, first.id)).body;
      expect(survivor).toMatchObject({
        ...{ displayName: 'S0', emails: [address('s2@x.fr'), address('sh@x.fr')] },
        ...{ groups: ['s2', 'VIP'], organization: 's2 Ltd', mergedFrom: [second.id] },
      });
      expect((await unmerge(book, second.id)).body).toMatchObject({
        survivor: { displayName: 'S0', emails: [], groups: [], organization: null },
        contact: given('s2'),
      });
    });

    it('keeps what the survivor has got since', async () => {
      const book = await service.book();
      const [one, other] = await pair(book);
      await update(book, one.id, { jobTitle: 'Head', displayName: 'Ann' });
      expect((await unmerge(book, other.id)).body.survivor).toMatchObject({
        ...{ jobTitle: 'Head', displayName: 'Ann', notes: null, emails: [address('a@x.fr')] },
      });
    });

    it.each([
      ['a text', { notes: 'changed' }],
      ['a text that was cleared', { notes: null }],
      ['an address', { emails: [address('a@x.fr')] }],
      ['a type', { phones: [{ value: '12', type: 'work' }] }],
    ])('is refused once %s that was absorbed has changed', async (_what, change) => {
      const book = await service.book();
      const [one, other] = await pair(book);
      await update(book, one.id, change);
      expect((await unmerge(book, other.id)).problem).toBe('MERGE_CHANGED');
      expect((await all(book)).total).toBe(1);
    });

    it('is refused when the book has the contact again', async () => {
      const book = await service.book();
      const [, other] = await pair(book);
      await service.contact(book, { displayName: 'New B', emails: [address('B@x.fr')] });
      expect((await unmerge(book, other.id)).problem).toBe('CONTACT_EXISTS');
      expect((await all(book)).total).toBe(2);
    });

    it('is over when the survivor is deleted, and is no business of another workspace', async () => {
      const book = await service.book();
      const [one, other] = await pair(book);
      const stranger = await service.book();
      expect((await unmerge(stranger, other.id)).problem).toBe('CONTACT_NOT_FOUND');
      await service.call(contacts.remove, { id: one.id }, { caller: book.caller });
      expect((await unmerge(book, other.id)).problem).toBe('CONTACT_NOT_FOUND');
      expect(await service.count('merged_contacts', book)).toBe(0);
    });
  });

  describe('duplicates', () => {
    const duplicates = async (book: BookOf, caller = memberOf(book)) =>
      service.call<DuplicateList>(contactMerging.duplicates, { bookId: book.id }, { caller });

    it('are pairs with their reasons, the likeliest first', async () => {
      const book = await service.book();
      const named = { displayName: 'Ann Lee', organization: 'Lee Ltd' };
      const phones = (value: string) => ({ phones: [address(value)] });
      await service.contact(book, { ...named, emails: [address('ann.lee@gmail.com')] });
      await service.contact(book, { displayName: 'B', ...phones('01 23 45 67 89') });
      await service.contact(book, { displayName: 'C', ...phones('+33 (0)1 23 45 67 89') });
      await service.contact(book, {
        ...{ displayName: 'ann léé', organization: 'LEE ltd' },
        emails: [address('annlee+news@googlemail.com')],
      });
      await service.contact(book, { displayName: 'U', ...phones('tel:+33-1-98-76-54-32') });
      await service.contact(book, { displayName: 'V', ...phones('+33198765432') });
      await service.contact(book, { displayName: 'D', ...phones('poste 12') });
      await service.contact(book, { displayName: 'E', ...phones('poste 12') });
      const { items } = (await duplicates(book)).body;
      expect(
        items.map(({ contacts: both, reasons }) => [both.map((c) => c.displayName), reasons]),
      ).toEqual([
        [
          ['Ann Lee', 'ann léé'],
          ['address', 'name'],
        ],
        [['B', 'C'], ['phone']],
        [['U', 'V'], ['phone']],
      ]);
    });

    it('are forbidden for a book out of reach', async () => {
      const book = await service.book({ access: [] });
      expect((await duplicates(book)).problem).toBe('FORBIDDEN');
      expect((await duplicates(await service.book(), memberOf(book))).problem).toBe(
        'BOOK_NOT_FOUND',
      );
    });
  });
});
