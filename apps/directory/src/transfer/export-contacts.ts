import type { ExportContacts, ExportPart } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { readerOf, requireReadableBook } from '../books/index.js';
import { contactItem, readBookAfter } from '../contacts/index.js';
import { csvHeader, writeCsv } from './write-csv.js';
import { writeVcard } from './write-vcard.js';

/** Contacts of a part of an export. */
const partSize = 500;

/** The contacts of a book after a place in the order of their ids, as cards or rows. */
export async function exportContacts(context: Reading, input: ExportContacts): Promise<ExportPart> {
  if (input.after === '') await requireReadableBook(context, readerOf(context.caller), input.id);
  return partOfBook(context, input);
}

/** The same, for whoever may read every book. */
export async function partOfBook(
  context: Pick<Reading, 'rows'>,
  { id, format, after }: Pick<ExportContacts, 'id' | 'format' | 'after'>,
): Promise<ExportPart> {
  const contacts = await readBookAfter(context, id, after, partSize);
  const isTable = format === 'csv';
  const texts = contacts.map((contact) =>
    isTable ? writeCsv(contactItem(contact)) : writeVcard(contactItem(contact)),
  );
  const header = isTable && after === '' ? csvHeader() : '';
  return {
    lines: header + texts.join(''),
    after: contacts.length === partSize ? (contacts.at(-1)?.id ?? null) : null,
    mediaType: `text/${format}; charset=utf-8`,
    fileName: isTable ? 'contacts.csv' : 'contacts.vcf',
  };
}
