import { contactImportSteps, contactTransfer } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { DirectoryConfig } from '../config.js';
import { exportContacts } from './export-contacts.js';
import { importContacts } from './import-contacts.js';

/** Contacts out of a book; the gateway runs an import itself, since it reads the body. */
export const TransferHandlers = handlers(
  { export: contactTransfer.export },
  { export: (context, input) => exportContacts(context, input) },
);

/** The steps of an import. */
export const ImportStepsHandlers = handlers(contactImportSteps, [DirectoryConfig], (config) => ({
  take: (context, input) => importContacts(context, input, config.quotaContacts),
}));
