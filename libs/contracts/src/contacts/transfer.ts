import { Flag, Id, Integers, OneOf, Text, Texts } from '../fields/index.js';
import { entryBatchMax, EntryCounts, ImportOutcome } from '../answers.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';

const many = Number.MAX_SAFE_INTEGER;

/** Media types of an import of contacts: cards (RFC 6350, 2.1 and 3.0 too), or a table (RFC 4180). */
export const contactFileTypes = ['text/vcard', 'text/csv'] as const;

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

  @Text('Its name, of ASCII letters.', { max: 60 })
  fileName!: string;
}

/** Bytes of a card: there is room for a photo, in base64 and lines; a larger one is unreadable. */
export const cardBytesMax = 448 * 1024;

/** Input of a step of an import: some of its entries, in their order. */
export class TakeContacts {
  @Id('abk', 'The book.')
  bookId!: string;

  @OneOf(contactFileTypes, 'What they are.')
  mediaType!: (typeof contactFileTypes)[number];

  @Text('The header of a table, as base64.', { max: 400_000, default: '' })
  header!: string;

  @Texts('The entries as base64; `-` for one that was too large, or cut short.', {
    max: entryBatchMax,
    each: 620_000,
  })
  entries!: string[];

  @Integers('The place of each in the file.', { from: 1, to: many, max: entryBatchMax })
  places!: number[];

  @Flag('Change nothing.')
  dryRun!: boolean;
}

/** Requests of the gateway to the directory while it reads the body of an import. */
export const contactImportSteps = family(
  'directory',
  'contactImportSteps',
  {
    take: operation({
      http: 'POST /contact-imports',
      summary: 'Take the next entries of an import of contacts',
      input: TakeContacts,
      output: EntryCounts,
      audit: 'contactTransfer.import',
      isAudited: ({ places, dryRun }) => !dryRun && places.includes(1),
      emits: ['contact.created', 'contact.updated'],
      problems: ['BOOK_NOT_FOUND', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
      deadlineMs: 30_000,
    }),
  },
  { audience: 'service' },
);

/** Contacts in and out of a book. */
export const contactTransfer = family(
  'directory',
  'contactTransfer',
  {
    import: operation({
      http: 'POST /address-books/:id/import',
      summary: 'Import cards or a table into an address book',
      description: `Streamed, of any length. Of a table the columns of Google’s and Outlook’s exports are
read. What the book has already is overwritten by what is given, as creation does. What a contact may not
say (an eleventh address, a name of more than 120 characters, what is no address) is cut or left out, and
\`warnings\` tells of it. A file that is cut short is imported up to there.`,
      input: ImportContacts,
      output: ImportOutcome,
      request: {
        mediaTypes: contactFileTypes,
        entries: {
          take: contactImportSteps.take,
          inputOf: ({ id: bookId, dryRun }, { zones: _, timeZone: __, ...batch }) => ({
            ...{ ...batch, bookId, dryRun },
          }),
        },
      },
      problems: ['BOOK_NOT_FOUND', 'TOO_MANY_IMPORTS', 'QUOTA_EXCEEDED'],
    }),
    export: operation({
      http: 'GET /address-books/:id/export',
      summary: 'Export an address book as cards or as a table',
      input: ExportContacts,
      output: ExportPart,
      answer: 'lines',
      problems: ['BOOK_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
