import { Count, Flag, Id, ListOf, OneOf, Text, Texts } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';

const many = Number.MAX_SAFE_INTEGER;

/** What an import of contacts may be: cards (RFC 6350, 2.1 and 3.0 too), or a table (RFC 4180). */
export const contactFileTypes = ['text/vcard', 'text/csv'] as const;

/** Bytes of a card or a row; a larger one, such as a card with a large photo, is unreadable. */
export const contactEntryBytesMax = 256 * 1024;

/** Unreadable entries that an answer tells of one by one. */
export const unreadableMax = 1000;

/** Contacts of a step of an import. */
export const contactBatchMax = 100;

/** A card or row that is no contact. */
export class UnreadableEntry {
  @Count('Which one, from 1: the header of a table does not count.', { max: many })
  entry!: number;

  @Text('Why it is none.', { max: 200 })
  reason!: string;
}

/** What became of the entries of an import. */
export class ContactImportCounts {
  @Count('Contacts that were created.', { max: many })
  created!: number;

  @Count('Contacts that the book had, and what was given has overwritten.', { max: many })
  updated!: number;

  @ListOf(() => UnreadableEntry, 'Entries that are no contact; the first 1,000.', {
    max: unreadableMax,
  })
  unreadable!: UnreadableEntry[];
}

/** Answer of an import. */
export class ContactImport extends ContactImportCounts {
  @Count('All entries that are no contact.', { max: many })
  unreadableCount!: number;
}

/** Input of an import; its body is the file itself. */
export class ImportContacts extends IdOf('abk', 'The book.') {
  @Flag('Say what would happen, and change nothing.', { default: false })
  dryRun!: boolean;
}

/** Input of an export. */
export class ExportContacts extends IdOf('abk', 'The book.') {
  @OneOf(['vcard', 'csv'], 'Cards (RFC 6350, 4.0), or a table with the columns of Google.', {
    default: 'vcard',
  })
  format!: 'vcard' | 'csv';

  @Text('Contacts after this one, in the order of their ids.', { max: 30, default: '' })
  after!: string;
}

/** A part of an export. */
export class ExportPart {
  @Text('Text of the file.', { max: many })
  lines!: string;

  @Text('Where the next part begins; null after the last.', { max: 30, nullable: true })
  after!: string | null;

  @Text('Media type of the file.', { max: 60 })
  mediaType!: string;
}

/** Contacts in and out of a book. */
export const contactTransfer = family(
  'directory',
  'contactTransfer',
  {
    import: operation({
      http: 'POST /address-books/:id/import',
      effect: 'write',
      summary: 'Import cards or a table into an address book',
      description: `Streamed, of any length. Of a table the columns of Google’s and Outlook’s exports are
read. What the book has already is overwritten by what is given, as creation does. A file that is cut
short is imported up to there.`,
      input: ImportContacts,
      output: ContactImport,
      streams: contactFileTypes,
      problems: ['BOOK_NOT_FOUND'],
    }),
    export: operation({
      http: 'GET /address-books/:id/export',
      effect: 'read',
      summary: 'Export an address book as cards or as a table',
      input: ExportContacts,
      output: ExportPart,
      lines: true,
      problems: ['BOOK_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);

/** Input of a step of an import: some of its entries, in their order. */
export class TakeContacts {
  @Id('abk', 'The book.')
  bookId!: string;

  @OneOf(contactFileTypes, 'What they are.')
  mediaType!: (typeof contactFileTypes)[number];

  @Text('The header of a table, as base64.', { max: 400_000, default: '' })
  header!: string;

  @Texts('The entries as base64; `-` for one that was too large, or cut short.', {
    max: contactBatchMax,
    each: 400_000,
  })
  entries!: string[];

  @Count('Entries of the import before these.', { max: many })
  first!: number;

  @Flag('Change nothing.')
  dryRun!: boolean;
}

/** What the gateway asks of the directory while it reads the body of an import. */
export const contactImportSteps = family(
  'directory',
  'contactImportSteps',
  {
    take: operation({
      http: 'POST /contact-imports',
      effect: 'write',
      summary: 'Take the next entries of an import of contacts',
      input: TakeContacts,
      output: ContactImportCounts,
      audit: 'contactTransfer.import',
      emits: ['contact.created', 'contact.updated'],
      problems: ['BOOK_NOT_FOUND', 'FORBIDDEN'],
      deadlineMs: 30_000,
    }),
  },
  { audience: 'service' },
);
