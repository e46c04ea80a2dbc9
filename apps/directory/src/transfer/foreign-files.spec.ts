import { describe, expect, it } from '@jest/globals';
import { contentOf, readEntry } from './given-entry.js';
import { readCsv, tableOf } from './csv.js';
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

  it('of vCard 2.1 has the spaces with which a quoted-printable line goes on', () => {
    const name = 'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller soft=\r\n er';
    for (const version of ['VERSION:2.1', 'version: 2.1'])
      expect(contentOf(readVcard(card(version, name, 'NOTE:a', ' b', '\tc')))).toEqual({
        ...{ displayName: 'Müller soft er', notes: 'a b\tc' },
      });
    expect(contentOf(readVcard(card('FN:A', 'NOTE:a', ' b', 'VERSION:3.0'))).notes).toBe('ab');
  });

  it('has the labels that Google and Apple write beside a property', () => {
    const given = card(
      ...['VERSION:3.0', 'FN:Ann', 'item1.EMAIL;TYPE=INTERNET:a@x.example'],
      ...['item1.X-ABLabel:Perso\\, bis', 'item2.TEL:01', 'item2.X-ABLabel:_$!<Home>!$_'],
      ...['it_3.TEL;TYPE=CELL:06', 'X-ABLabel:stray', 'TEL:07'],
    );
    expect(contentOf(readVcard(given))).toEqual({
      displayName: 'Ann',
      emails: [{ value: 'a@x.example', type: 'Perso, bis' }],
      phones: [
        { value: '01', type: 'home' },
        { value: '06', type: 'cell' },
        { value: '07', type: null },
      ],
    });
  });

  it('of a list of contacts, or a place, is no contact', () => {
    for (const kind of ['KIND:group', 'X-ADDRESSBOOKSERVER-KIND:group', 'KIND:location'])
      expect(() => readVcard(card('VERSION:4.0', 'FN:Team', kind))).toThrow(/no person/);
    expect(readVcard(card('VERSION:4.0', 'KIND:org', 'FN:Lee Ltd')).displayName).toBe('Lee Ltd');
  });

  it('tells what of it does not fit into a contact', () => {
    const emails = Array.from({ length: 12 }, (_, i) => `EMAIL:c${i}@x.example`);
    const given = card(
      ...['VERSION:4.0', `FN:${'x'.repeat(121)}`, `NOTE:${'x'.repeat(2001)}`, ...emails],
      ...['EMAIL:zzz', 'EMAIL:c1@x.example', 'TEL;VALUE=uri:tel:+1-555-0100;ext=12'],
      ...['TEL:none', `CATEGORIES:${'g'.repeat(61)}`],
    );
    const { content, leftOut } = readEntry(readVcard(given));
    expect(content.phones).toEqual([{ value: '+1-555-0100 ext. 12', type: null }]);
    expect(content.emails).toHaveLength(10);
    expect(leftOut).toEqual([
      'displayName cut to 120 characters',
      'notes cut to 2000 characters',
      '1 of emails left out: not valid, such as zzz',
      '2 of emails left out: more than 10',
      '1 of phones left out: not valid, such as none',
      '1 of groups cut to 60 characters',
    ]);
    expect(readEntry(readVcard(card('VERSION:4.0', 'FN:A', 'EMAIL:a@b.fr'))).leftOut).toEqual([]);
    const places = Array.from({ length: 6 }, (_, i) => `ADR:;;${i} Street;Town;;;`);
    const unkept = card(
      ...[
        'VERSION:4.0',
        'FN:A',
        'PHOTO:https://x.example/a.png',
        'BDAY;VALUE=text:circa 1800',
        'URL:javascript:x',
      ],
      ...[`ADR:;;${'x'.repeat(201)};;;;`, ...places],
    );
    expect(readEntry(readVcard(unkept)).leftOut).toEqual([
      'the photo left out: a link, which is not fetched',
      '1 parts of addresses cut',
      '2 of addresses left out: more than 5',
      'the birthday left out: circa 1800 is not one day',
      '1 of urls left out: not valid, such as javascript:x',
    ]);
  });

  it('of vCard 2.1 has commas and backslashes as they are', () => {
    const given = card('VERSION:2.1', 'FN:Lee, Ann \\n', 'N:Lee, B;A\\;nn', 'CATEGORIES:VIP,Press');
    expect(contentOf(readVcard(given))).toEqual({
      ...{ displayName: 'Lee, Ann \\n', familyName: 'Lee, B', givenName: 'A;nn' },
      groups: ['VIP', 'Press'],
    });
  });

  it.each([
    ['BDAY:1990-01-31', '1990-01-31'],
    ['BDAY;VALUE=date:19900131', '1990-01-31'],
    ['BDAY:1990-01-31T00:00:00Z', '1990-01-31'],
    ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29', '--02-29'],
    ['BDAY:--0229', '--02-29'],
    ['BDAY:1990-02-30', undefined],
    ['BDAY:1985-04', undefined],
  ])('has a birthday: %s', (property, birthday) => {
    for (const version of ['2.1', '3.0', '4.0'])
      expect(contentOf(readVcard(card(`VERSION:${version}`, 'FN:A', property))).birthday).toBe(
        birthday,
      );
  });

  it('has addresses and web pages, with their labels', () => {
    const given = card(
      ...['VERSION:3.0', 'FN:A', 'ADR;TYPE=WORK:PO 1;Suite 2;1 Main St\\, East;Town;ST;12345;USA'],
      ...['item1.ADR;type=pref:;;Rue A\\nBât. B;Paris;;75001;France', 'item1.X-ABLabel:Chalet'],
      ...['ADR:;;;;;;', 'item2.URL;type=pref:https\\://a.example/x?a=1\\,2'],
      ...['item2.X-ABLabel:_$!<HomePage>!$_', 'URL;TYPE=work:www.b.example'],
    );
    const read = readEntry(readVcard(given));
    expect(read.leftOut).toEqual([]);
    expect(read.content).toMatchObject({
      addresses: [
        {
          ...{ street: 'Rue A\nBât. B', city: 'Paris', region: null, postalCode: '75001' },
          ...{ country: 'France', type: 'Chalet' },
        },
        {
          ...{ street: '1 Main St, East\nSuite 2\nPO 1', city: 'Town', region: 'ST' },
          ...{ postalCode: '12345', country: 'USA', type: 'work' },
        },
      ],
      urls: [
        { value: 'https://a.example/x?a=1,2', type: 'homepage' },
        { value: 'https://www.b.example', type: 'work' },
      ],
    });
  });

  it('says nothing of the card of somebody else within it', () => {
    const agent = ['AGENT:', 'BEGIN:VCARD', 'VERSION:2.1', 'FN:Agent', 'TEL:02', 'END:VCARD'];
    const given = card('VERSION:2.1', ...agent, 'FN:Ann', 'TEL:01');
    expect(contentOf(readVcard(given))).toEqual({
      displayName: 'Ann',
      phones: [{ value: '01', type: null }],
    });
  });

  it('costs time in proportion to its length, whatever is in its lines', () => {
    const before = process.cpuUsage();
    const parameters = card('VERSION:3.0', `FN${';x'.repeat(100_000)}:Ann`);
    expect(contentOf(readVcard(parameters)).displayName).toBe('Ann');
    const softBreaks = Array.from({ length: 1500 }, () => `${'x'.repeat(100)}=`);
    const quoted = card('VERSION:2.1', 'FN;QUOTED-PRINTABLE:Ann=', ...softBreaks, '', 'TEL:01');
    expect(contentOf(readVcard(quoted)).displayName).toMatch(/^Annx+$/);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
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
      'Ann,B.,Lee,Lee Ltd,Head,"a, ""b""\nc",VIP ::: * myContacts,* Work,a@x.example ::: b@x.example,iPhone,+33 6 1';
    expect(row(header, cells)).toEqual({
      ...{ givenName: 'Ann B.', familyName: 'Lee', organization: 'Lee Ltd', jobTitle: 'Head' },
      ...{ notes: 'a, "b"\nc', groups: ['VIP'] },
      emails: [
        { value: 'a@x.example', type: 'work' },
        { value: 'b@x.example', type: 'work' },
      ],
      phones: [{ value: '+33 6 1', type: 'iPhone' }],
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

  const jane = { givenName: 'Jane', familyName: 'Doe', emails: [{ value: 'j@e.org' }] };
  it.each([
    [
      'Prénom;Deuxième prénom;Nom;Titre;Société;Poste;Téléphone (bureau);Tél. mobile;Adresse de messagerie;Catégories',
      'Jane;;Doe;Mme;Acme;Cheffe;01;06;j@e.org;VIP;;',
    ],
    [
      'Anrede,Vorname,Nachname,Firma,Position,Telefon geschäftlich,Mobiltelefon,E-Mail-Adresse,E-Mail-Typ,Kategorien',
      'Frau,Jane,Doe,Acme,Cheffe,01,06,j@e.org,SMTP,VIP',
    ],
    [
      'Título,Nombre,Apellidos,Organización,Puesto,Teléfono del trabajo,Móvil,Dirección de correo electrónico,Categorías',
      'Sra,Jane,Doe,Acme,Cheffe,01,06,j@e.org,VIP',
    ],
    [
      'Titolo,Nome,Cognome,Società,Posizione,Telefono ufficio,Cellulare,Indirizzo posta elettronica,Categorie',
      'Sig,Jane,Doe,Acme,Cheffe,01,06,j@e.org,VIP',
    ],
    [
      'Titel;Voornaam;Achternaam;Bedrijf;Functie;Telefoon op werk;Mobiele telefoon;E-mailadres;Categorieën',
      'Mw;Jane;Doe;Acme;Cheffe;01;06;j@e.org;VIP',
    ],
    [
      'Título\tNome\tSobrenome\tEmpresa\tCargo\tTelefone comercial\tTelefone celular\tEndereço de email\tCategorias',
      'Sra\tJane\tDoe\tAcme\tCheffe\t01\t06\tj@e.org\tVIP',
    ],
  ])('of Outlook in another language is read: %s', (header, cells) => {
    const read = readEntry(readCsv(Buffer.from(cells), tableOf(Buffer.from(header))));
    expect(read.content).toMatchObject({ ...jane, organization: 'Acme', jobTitle: 'Cheffe' });
    expect(read.content.groups).toEqual(['VIP']);
    expect(read.content.phones).toEqual([
      { value: '01', type: 'work' },
      { value: '06', type: 'mobile' },
    ]);
    expect(read.leftOut).toEqual([expect.stringMatching(/^columns left out: (Tit|Tít|Anrede)/)]);
  });

  it('of Thunderbird’s export is read, with a warning of what is not known', () => {
    const header =
      'First Name,Last Name,Display Name,Primary Email,Mobile Number,Custom 1,Custom 2';
    const read = readCsv(
      Buffer.from('Jane,Doe,Jane Doe,j@e.org,06,x,'),
      tableOf(Buffer.from(header)),
    );
    const { content, leftOut } = readEntry(read);
    expect(content).toMatchObject({ ...jane, phones: [{ value: '06', type: 'mobile' }] });
    expect(leftOut).toEqual(['columns left out: Custom 1']);
  });

  const paris = { street: '1 rue A\nBât. B', city: 'Paris', region: 'IDF', postalCode: '75001' };
  it.each([
    [
      'First Name,Birthday,Web Page,Business Street,Business Street 2,Business City,Business State,Business Postal Code,Business Country/Region,Anniversary',
      'Ann,1/31/1990,a.example,1 rue A,Bât. B,Paris,IDF,75001,France,0/0/00',
      'business',
    ],
    [
      'Prénom;Anniversaire;Page Web;Rue (bureau);Rue (bureau) 2;Ville (bureau);Dép/Région (bureau);Code postal (bureau);Pays/Région (bureau)',
      'Ann;31/01/1990;a.example;1 rue A;Bât. B;Paris;IDF;75001;France',
      'work',
    ],
    [
      'Vorname;Geburtstag;Webseite;Straße privat;Straße privat 2;Ort privat;Bundesland/Kanton privat;Postleitzahl privat;Land/Region privat',
      'Ann;31.1.1990;a.example;1 rue A;Bât. B;Paris;IDF;75001;France',
      'home',
    ],
    [
      'First Name,Birthday,Website 1 - Label,Website 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - Extended Address,Address 1 - City,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country',
      'Ann,1990-01-31,,a.example,* Home,all of it,1 rue A,Bât. B,Paris,IDF,75001,France',
      'home',
    ],
    [
      'First Name,Birth Year,Birth Month,Birth Day,Web Page 1,Home Address,Home Address 2,Home City,Home State,Home ZipCode,Home Country',
      'Ann,1990,1,31,a.example,1 rue A,Bât. B,Paris,IDF,75001,France',
      'home',
    ],
  ])('has the address, birthday and web page of its columns: %s', (header, cells, type) => {
    const read = readEntry(readCsv(Buffer.from(cells), tableOf(Buffer.from(header))));
    expect(read).toMatchObject({
      leftOut: [],
      content: {
        addresses: [{ ...paris, country: 'France', type }],
        ...{ birthday: '1990-01-31', urls: [{ value: 'https://a.example', type: null }] },
      },
    });
  });

  it.each([
    ['3/4/1990', undefined],
    ['4/4/1990', '1990-04-04'],
    ['0/0/00', undefined],
    ['--04-03', '--04-03'],
  ])('has a birthday where its day is certain: %s', (cell, birthday) => {
    expect(row('Name,Birthday', `Ann,${cell}`).birthday).toBe(birthday);
  });

  it('has two addresses of two places, and one of bare columns', () => {
    const two = row('Name,Home Street,Other Street,Home City', 'Ann,1 A,2 B,Town');
    expect(two.addresses).toMatchObject([
      { street: '1 A', city: 'Town', type: 'home' },
      { street: '2 B', city: null, type: 'other' },
    ]);
    expect(row('Name,Address,Zip', 'Ann,1 A,12345').addresses).toMatchObject([
      { street: '1 A', postalCode: '12345', type: null },
    ]);
    expect(row('Name,Address 1 - Formatted', 'Ann,1 A').addresses).toMatchObject([
      { street: '1 A' },
    ]);
  });

  it('has quotes within its cells as they are', () => {
    expect(row('Name,Notes', 'Ann,5" pipe')).toEqual({ displayName: 'Ann', notes: '5" pipe' });
    expect(row('Name,Notes', '"Ann ""B""",a "b"')).toEqual({
      ...{ displayName: 'Ann "B"', notes: 'a "b"' },
    });
  });

  it.each([
    ['Title,First Name,Last Name,Company,Job Title,E-mail Address', 'Mr.,Out,Look,OutCo,Clerk,'],
    ['Job Title,First Name,Last Name,Company,Title', 'Clerk,Out,Look,OutCo,Mr.'],
  ])('of Outlook has a form of address that is no job: %s', (header, cells) => {
    expect(row(header, cells)).toEqual({
      givenName: 'Out',
      familyName: 'Look',
      organization: 'OutCo',
      jobTitle: 'Clerk',
    });
    expect(row('Title,First Name', 'Dr.,Out')).toEqual({ givenName: 'Out' });
  });

  it('with broken quotes, too many cells, or nothing of a contact is refused', () => {
    expect(() => row('First Name,Notes', '"Ann,x')).toThrow(/[Qq]uot/);
    expect(() => row('First Name,Notes', 'Ann,x,y')).toThrow(/more cells/);
    expect(() => row('First Name,Notes', ',x')).toThrow(/no name/);
    expect(() => row('Colour,Size', 'red,1')).toThrow(/no column/);
  });
});
