import type { ExportContacts, ExportPart } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { readerOf, requireReadableBook } from '../books/index.js';
import { contactItem, readBookAfter } from '../contacts/index.js';
import { csvHeader, writeCsv } from './write-csv.js';
import { writeVcard } from './write-vcard.js';

/** Where a part of an export ends: at so many contacts, or with the one that reaches so many bytes. */
const partSize = 500;
const partBytes = 1024 * 1024;

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
  const write = isTable ? writeCsv : writeVcard;
  let lines = isTable && after === '' ? csvHeader() : '';
  let [count, bytes] = [0, 0];
  for (const contact of contacts) {
    if (bytes >= partBytes) break;
    const text = write(contactItem(contact));
    lines += text;
    [count, bytes] = [count + 1, bytes + Buffer.byteLength(text)];
  }
  const isLast = count === contacts.length && count < partSize;
  return {
    lines,
    after: isLast ? null : (contacts[count - 1]?.id ?? null),
    mediaType: `text/${format}; charset=utf-8`,
    fileName: isTable ? 'contacts.csv' : 'contacts.vcf',
  };
}
