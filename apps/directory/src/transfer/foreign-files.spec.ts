import { describe, expect, it } from '@jest/globals';
import { contentOf } from './given-entry.js';
import { readCsv, tableOf } from './read-csv.js';
import { readVcard } from './read-vcard.js';

const card = (...lines: string[]): Buffer =>
  Buffer.from(['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'));
const row = (header: string, cells: string) =>
  contentOf(readCsv(Buffer.from(cells), tableOf(Buffer.from(header))));

describe('a card', () => {
  it('of vCard 2.1 with quoted-printable, a charset and bare parameters is read', () => {
    const given = card(
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:C=C5=93ur;=C3=89mile',
      'FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:=C9mile C.',
      'TEL;HOME;VOICE:01 23 45 67 89',
      'EMAIL;INTERNET;PREF:emile@coeur.example',
      'NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0A=',
      'two',
      'PHOTO;JPEG;ENCODING=BASE64:',
      ' /9j/4AAQ',
    );
    expect(contentOf(readVcard(given))).toEqual({
      ...{ displayName: 'Émile C.', givenName: 'Émile', familyName: 'Cœur', notes: 'one\ntwo' },
      phones: [{ value: '01 23 45 67 89', type: 'home' }],
      emails: [{ value: 'emile@coeur.example', type: null }],
    });
  });

  it('of Apple, with groups of properties and folded text, is read', () => {
    const given = card(
      'VERSION:3.0',
      'N:Lee;Ann;;;',
      'FN:Ann Lee',
      'ORG:Lee Ltd\\; Sons;Sales',
      'item1.EMAIL;type=INTERNET;type=HOME;type=pref:ann@lee.example',
      'item1.X-ABLabel:_$!<Other>!$_',
      'EMAIL;type=INTERNET;type=WORK:work@lee.example',
      'TEL;type=CELL;type=VOICE:+33 6 12 34 56 78',
      'CATEGORIES:VIP,Press',
      'NOTE:one\\ntwo\\, thr',
      ' ee',
    );
    expect(contentOf(readVcard(given))).toEqual({
      ...{ displayName: 'Ann Lee', givenName: 'Ann', familyName: 'Lee' },
      organization: 'Lee Ltd; Sons',
      emails: [
        { value: 'ann@lee.example', type: 'home' },
        { value: 'work@lee.example', type: 'work' },
      ],
      phones: [{ value: '+33 6 12 34 56 78', type: 'cell' }],
      groups: ['VIP', 'Press'],
      notes: 'one\ntwo, three',
    });
  });

  it('of vCard 4.0 with URIs, preferences and a byte order mark is read', () => {
    const lines = ['VERSION:4.0', 'FN:Ann', 'TEL;VALUE=uri;TYPE=home:tel:+33-1-23-45-67-89'];
    const more = ['EMAIL;PREF=2:b@x.example', 'EMAIL;PREF=1:a@x.example'];
    const given = Buffer.concat([Buffer.from('\ufeff'), card(...lines, ...more)]);
    expect(contentOf(readVcard(given))).toMatchObject({
      phones: [{ value: '+33-1-23-45-67-89', type: 'home' }],
      emails: [{ value: 'a@x.example' }, { value: 'b@x.example' }],
    });
  });

  it('that is no UTF-8, says nothing, or has too much, is read or refused', () => {
    const latin = Buffer.from(
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\xc9mile\r\nEND:VCARD\r\n',
      'latin1',
    );
    expect(contentOf(readVcard(latin)).displayName).toBe('Émile');
    expect(() => contentOf(readVcard(card('VERSION:3.0', 'NOTE:x')))).toThrow(/no name/);
    const million = Array.from({ length: 3000 }, (_, i) => `TEL:${i}`);
    expect(() => readVcard(card('VERSION:3.0', 'FN:A', ...million))).toThrow(/2000 lines/);
    const long = card('VERSION:3.0', `FN:${'x'.repeat(500)}`, 'nonsense', ':', ';;;:x');
    expect([...(contentOf(readVcard(long)).displayName ?? '')]).toHaveLength(120);
  });
});

describe('a row', () => {
  it('of Google’s export is read', () => {
    const header =
      'First Name,Middle Name,Last Name,Organization Name,Organization Title,Notes,Labels,' +
      'E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value';
    const cells =
      'Ann,B.,Lee,Lee Ltd,Head,"a, ""b""\nc",VIP ::: * myContacts,* Work,a@x.example ::: b@x.example,Mobile,+33 6 1';
    expect(row(header, cells)).toEqual({
      ...{ givenName: 'Ann B.', familyName: 'Lee', organization: 'Lee Ltd', jobTitle: 'Head' },
      ...{ notes: 'a, "b"\nc', groups: ['VIP'] },
      emails: [
        { value: 'a@x.example', type: 'work' },
        { value: 'b@x.example', type: 'work' },
      ],
      phones: [{ value: '+33 6 1', type: 'mobile' }],
    });
  });

  it('of Google’s older export is read', () => {
    const header =
      '\ufeffName,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Organization 1 - Name';
    expect(
      row(header, 'Ann Lee,Ann,Lee,* myContacts ::: Press,* Home,a@x.example,Lee Ltd'),
    ).toEqual({
      ...{ displayName: 'Ann Lee', givenName: 'Ann', familyName: 'Lee', organization: 'Lee Ltd' },
      ...{ groups: ['Press'], emails: [{ value: 'a@x.example', type: 'home' }] },
    });
  });

  it('of Outlook’s export, also with semicolons, is read', () => {
    const header =
      'First Name;Last Name;Company;Job Title;E-mail Address;E-mail 2 Address;Home Phone;Mobile Phone;Notes';
    expect(row(header, 'Ann;Lee;Lee Ltd;Head;a@x.example;b@x.example;01;06;x')).toEqual({
      ...{
        givenName: 'Ann',
        familyName: 'Lee',
        organization: 'Lee Ltd',
        jobTitle: 'Head',
        notes: 'x',
      },
      emails: [
        { value: 'a@x.example', type: null },
        { value: 'b@x.example', type: null },
      ],
      phones: [
        { value: '01', type: 'home' },
        { value: '06', type: 'mobile' },
      ],
    });
  });

  it('with broken quotes, too many cells, or nothing of a contact is refused', () => {
    expect(() => row('First Name,Notes', '"Ann,x')).toThrow(/[Qq]uot/);
    expect(() => row('First Name,Notes', 'Ann,x,y')).toThrow(/more cells/);
    expect(() => row('First Name,Notes', ',x')).toThrow(/no name/);
    expect(() => row('Colour,Size', 'red,1')).toThrow(/no column/);
  });
});
