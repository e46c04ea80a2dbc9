import {
  contactImportSteps,
  contactTransfer,
  type ExportContacts,
  type ExportPart,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { readerOf, requireReadableBook } from '../books/index.js';
import { contactItem, readBookAfter, readPhoto, type StoredContact } from '../contacts/index.js';
import { DirectoryConfig } from '../config.js';
import { withPhoto } from './card-photo.js';
import { csvHeader, writeCsv } from './csv.js';
import { writeVcard } from './write-vcard.js';
import { importContacts } from './import-contacts.js';

/** Contacts out of a book; the gateway runs an import itself, since it reads the body. */
export const ExportHandlers = handlers(
  { export: contactTransfer.export },
  { export: exportContacts },
);

/** The steps of an import. */
export const ImportStepsHandlers = handlers(contactImportSteps, [DirectoryConfig], (config) => ({
  take: (context, input) => importContacts(context, input, config),
}));

/** A part of an export ends at so many contacts, or with the contact that reaches so many bytes. */
const partSize = 500;
const partBytes = 1024 * 1024;

/** The contacts of a book after a place in the order of their ids, as cards or rows. */
async function exportContacts(context: Reading, input: ExportContacts): Promise<ExportPart> {
  if (input.after === '') await requireReadableBook(context, readerOf(context.caller), input.id);
  return partOfBook(context, input);
}

/** The same without a check of rights, for the export of a whole workspace. */
export async function partOfBook(
  context: Pick<Reading, 'rows'>,
  { id, format, after }: Pick<ExportContacts, 'id' | 'format' | 'after'>,
): Promise<ExportPart> {
  const contacts = await readBookAfter(context, id, after, partSize);
  const isTable = format === 'csv';
  const texts = await written(contacts, isTable ? rowOf : (contact) => cardOf(context, contact));
  const header = isTable && after === '' ? csvHeader() : '';
  const isLast = texts.length === contacts.length && texts.length < partSize;
  return {
    lines: header + texts.join(''),
    after: isLast ? null : (contacts[texts.length - 1]?.id ?? null),
    mediaType: `text/${format}; charset=utf-8`,
    fileName: isTable ? 'contacts.csv' : 'contacts.vcf',
  };
}

const rowOf = (contact: StoredContact): Promise<string> =>
  Promise.resolve(writeCsv(contactItem(contact)));

async function cardOf(context: Pick<Reading, 'rows'>, contact: StoredContact): Promise<string> {
  const card = writeVcard(contactItem(contact));
  const photo = contact.photo === null ? null : await readPhoto(context, contact.photo);
  return photo ? withPhoto(card, photo) : card;
}

/** The first of some contacts as text, as many as a part has. */
async function written(
  contacts: readonly StoredContact[],
  write: (contact: StoredContact) => Promise<string>,
): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 0;
  for (const contact of contacts) {
    if (bytes >= partBytes) break;
    const text = await write(contact);
    texts.push(text);
    bytes += Buffer.byteLength(text);
  }
  return texts;
}
