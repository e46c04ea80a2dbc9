import {
  booksPageMax,
  contactPages,
  contactsPageMax,
  type ContactBesideMail,
  type ReadableBook,
} from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

const booksAfter = statement<ReadableBook>(
  'contact_pages.books',
  `SELECT id, is_shared AS "isShared", member_ids AS "memberIds", sequence::float8 AS sequence
   FROM readable_books_after($1, $2, $3)`,
);

const contactsAfter = statement<ContactBesideMail>(
  'contact_pages.contacts',
  `SELECT c.id, c.book_id AS "bookId", c.display_name AS name, c.sequence::float8 AS sequence,
     ${instant('c.updated_at')} AS "changedAt",
     ARRAY(SELECT one ->> 'value' FROM json_array_elements(c.emails) AS one) AS addresses
   FROM contacts_after($1, $2, $3) c`,
);

/** After the ids of all books, before those of all contacts. */
const contactsBegin = 'ctc_';

/** The books and contacts of a workspace, for services that keep some of it. */
export const ContactPagesHandlers = handlers(contactPages, {
  read: async ({ rows }, { after }) => {
    const at = new Date().toISOString();
    if (after < contactsBegin) {
      const books = await rows(booksAfter, [after, booksPageMax]);
      const isFull = books.length === booksPageMax;
      return { books, contacts: [], at, after: (isFull && books.at(-1)?.id) || contactsBegin };
    }
    const contacts = await rows(contactsAfter, [after, contactsPageMax]);
    const isFull = contacts.length === contactsPageMax;
    return { books: [], contacts, at, after: (isFull && contacts.at(-1)?.id) || null };
  },
});
