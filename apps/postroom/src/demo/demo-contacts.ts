import type {
  BookAnswer,
  BookPage,
  ContactCreated,
  ContactList,
  CreateContact,
} from '@postroom/contracts';
import type { SettingsClient } from './settings-client.js';

/** Given and family name, address, organization, group, and, where known, a phone number. */
type Person = readonly [string, string, string, string, string, string?];

const customers: readonly Person[] = [
  [
    'Claire',
    'Dubois',
    'claire.dubois@example.com',
    'Dubois & Fils',
    'Clients',
    '+33 1 23 45 67 89',
  ],
  ['Jonas', 'Lindqvist', 'jonas@example.org', 'Lindqvist AB', 'Clients', '+46 8 123 456 78'],
  ['Mariana', 'Souza', 'mariana@example.net', 'Souza Consultoria', 'Clients'],
  ['健', '田中', 'tanaka@example.jp', '田中商事', 'Prospects'],
  ['Priya', 'Raman', 'priya@example.in', 'Raman Textiles', 'Prospects', '+91 22 1234 5678'],
  ['Émile', 'Cœur', 'emile.coeur@example.com', 'Atelier Cœur', 'Clients'],
  ['Hélène', 'Noël', 'helene@example.com', 'Noël et Compagnie', 'Clients', '01 40 20 50 50'],
  ['Zoé', 'Lefèvre', 'zoe.lefevre@example.com', 'Lefèvre SARL', 'Clients'],
  ['Anne', 'Étienne', 'anne.etienne@example.com', 'Étienne Frères', 'Clients'],
  ['Søren', 'Østergaard', 'soren@example.dk', 'Østergaard ApS', 'Prospects'],
  ['Łukasz', 'Nowak', 'lukasz@example.pl', 'Nowak i Syn', 'Prospects'],
  ['Jürgen', 'Groß', 'juergen.gross@example.de', 'Groß GmbH', 'Clients', '+49 30 123456'],
  ['María', 'Núñez', 'maria@example.es', 'Núñez Hermanos', 'Clients'],
  ['Dvora', 'כהן', 'dvora@example.co.il', 'כהן ובניו', 'Prospects'],
  ['Ola', 'Nordmann', 'ola@example.no', 'Nordmann AS', 'Clients'],
  ['Chloé', 'Garnier', 'chloe.garnier@example.com', 'Garnier Bio', 'Clients'],
  ['Marc', 'Petit', 'marc.petit@example.com', 'Petit Déménagements', 'Clients'],
  ['Nadia', 'Benali', 'nadia@example.ma', 'Benali Export', 'Prospects'],
  ['Tom', 'Walker', 'tom@example.co.uk', 'Walker & Sons', 'Clients', '+44 20 7946 0018'],
  ['Inès', 'Da Silva', 'ines@example.pt', 'Da Silva Lda', 'Prospects'],
];

const suppliers: readonly Person[] = [
  ['Paul', 'Martin', 'paul.martin@papeterie.example', 'Papeterie Martin', 'Fournitures'],
  ['Sofia', 'Rossi', 'sofia@rossi.example', 'Rossi Stampa', 'Imprimerie', '+39 06 1234567'],
  ['Kofi', 'Mensah', 'kofi@mensah.example', 'Mensah Logistics', 'Transport'],
  ['Lena', 'Fischer', 'lena@fischer.example', 'Fischer IT', 'Informatique'],
  ['Yuki', 'Sato', 'yuki@sato.example', 'Sato Design', 'Imprimerie'],
  ['Olivier', 'Roux', 'olivier@roux.example', 'Roux Nettoyage', 'Bureaux'],
  ['Amélie', 'Blanc', 'amelie@blanc.example', 'Blanc Traiteur', 'Bureaux'],
  ['Ivan', 'Petrov', 'ivan@petrov.example', 'Petrov Freight', 'Transport'],
  ['Grace', 'Kim', 'grace@kim.example', 'Kim Hosting', 'Informatique'],
  ['Hugo', 'Marchand', 'hugo@marchand.example', 'Marchand Mobilier', 'Fournitures'],
];

/** The same person twice, merged in the demo. */
const twice: CreateContact = {
  displayName: 'C. Dubois',
  emails: [{ value: 'c.dubois@example.com', type: 'home' }],
  jobTitle: 'Gérante',
};

/**
 * Fills two address books, and merges one pair. It is idempotent: books are known by their names, and a
 * contact that is there is only overwritten by the same.
 */
export async function fillAddressBooks(settings: SettingsClient): Promise<void> {
  const create = (contact: CreateContact): Promise<ContactCreated> =>
    settings.call('POST', '/v1/contacts', contact);
  const shared = await bookNamed(settings, 'Clients');
  const listed = `/v1/contacts?bookId=${shared}`;
  const { contacts } = await settings.call<ContactList>('GET', listed);
  const isMerged = contacts.some(({ mergedFrom }) => mergedFrom.length > 0);
  const made: ContactCreated[] = [];
  for (const person of customers) made.push(await create(contactOf(shared, person)));
  const supplied = await bookNamed(settings, 'Fournisseurs');
  for (const person of suppliers) await create(contactOf(supplied, person));
  if (isMerged) return;
  const survivorId = made[0]?.contact.id;
  const { contact } = await create({ bookId: shared, contact: twice });
  await settings.call('POST', '/contacts/merge', { survivorId, mergedIds: [contact.id] });
}

async function bookNamed(settings: SettingsClient, name: string): Promise<string> {
  const { items } = await settings.call<BookPage>('GET', '/address-books');
  const known = items.find((book) => book.name === name);
  if (known) return known.id;
  return (await settings.call<BookAnswer>('POST', '/address-books', { name })).book.id;
}

const contactOf = (bookId: string, person: Person): CreateContact => {
  const [givenName, familyName, email, organization, group, phone] = person;
  return {
    bookId,
    ...{ givenName, familyName, organization },
    emails: [{ value: email, type: 'work' }],
    phones: phone === undefined ? [] : [{ value: phone, type: 'work' }],
    groups: [group],
  };
};
