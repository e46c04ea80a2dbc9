import { Done } from '../answers.js';
import { contactLimits } from '../contacts/contact.js';
import { Count, Flag, Id, Ids, Instant, ListOf, Text, Texts } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { ReadPage, RebuiltPage } from './read-models.js';

const many = Number.MAX_SAFE_INTEGER;

/** Books and contacts of a page, at most. */
export const booksPageMax = 20;
export const contactsPageMax = 500;

/** Who may read a book. */
export class ReadableBook {
  @Id('abk', 'The book.')
  id!: string;

  @Flag('Whether every member may.')
  isShared!: boolean;

  @Ids('mbr', 'Members who may, where it is not shared.', { max: 1000 })
  memberIds!: string[];

  @Count('Number of the last event about it.', { max: many })
  sequence!: number;
}

/** A contact as far as conversations show it. */
export class ContactBesideMail {
  @Id('ctc', 'The contact.')
  id!: string;

  @Id('abk', 'Its book.')
  bookId!: string;

  @Text('Its name.', { max: contactLimits.displayName })
  name!: string;

  @Texts('Its addresses.', { max: contactLimits.emails, each: 320 })
  addresses!: string[];

  @Count('Number of its last event.', { max: many })
  sequence!: number;

  @Instant('Its last change.')
  changedAt!: string;
}

/** Books and contacts of a workspace in the order of their ids, books first. */
export class ContactPage extends RebuiltPage {
  @ListOf(() => ReadableBook, 'Books.', { max: booksPageMax })
  books!: ReadableBook[];

  @ListOf(() => ContactBesideMail, 'Contacts.', { max: contactsPageMax })
  contacts!: ContactBesideMail[];
}

/** A page, and where it begins: what is known between its ends and not in it is gone. */
export class LearnContactPage extends ContactPage {
  @Text('After this id.', { max: 30 })
  from!: string;
}

/** What the gateway asks of the directory when contacts beside mail are rebuilt. */
export const contactPages = family(
  'directory',
  'contactPages',
  {
    read: operation({
      http: 'GET /services/directory/contact-pages',
      effect: 'read',
      summary: 'Read a page of the books and contacts of a workspace',
      input: ReadPage,
      output: ContactPage,
    }),
  },
  { audience: 'service' },
);

/** What the gateway then hands to mail. */
export const learntContacts = family(
  'mail',
  'learntContacts',
  {
    learn: operation({
      http: 'POST /services/mail/learnt-contacts',
      effect: 'write',
      summary: 'Learn a page of the books and contacts of a workspace',
      input: LearnContactPage,
      output: Done,
      audit: 'readModels.rebuild',
    }),
  },
  { audience: 'service' },
);
