import { Done, PageOf } from '../answers.js';
import { Count, Id, Instant, OneOf, Texts } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';

const many = Number.MAX_SAFE_INTEGER;

/** Media types of an import: one message, or a file of them (RFC 4155). */
export const importTypes = ['message/rfc822', 'application/mbox'] as const;

/** The largest message that is kept; SMTP's limit too (`decisions.md` §1). */
export const importedMessageBytesMax = 50 * 1024 * 1024;

export const importStates = ['running', 'done', 'failed', 'stopped'] as const;

/** Counts of the messages of an import; the three together are all that were found in it. */
export class ImportCounts {
  @Count('Messages that were kept.', { max: many })
  imported!: number;

  @Count('Messages that the mailbox had already.', { max: many })
  duplicates!: number;

  @Count('Messages that could not be read: kept as plain text, left out when over 50 MiB.', {
    max: many,
  })
  unparsed!: number;
}

/** Input of an import; its body is the mail itself. */
export class ImportMail extends IdOf('mbx', 'The mailbox.') {}

/** An import, while it runs and afterwards. */
export class MailImport extends ImportCounts {
  @Id('imp', 'The import.')
  id!: string;

  @OneOf(importStates, 'Where it stands; what a failed or stopped one had kept stays.')
  state!: (typeof importStates)[number];

  @Count('Bytes of its body that were read.', { max: many })
  bytesRead!: number;

  @Instant('When it began.')
  startedAt!: string;

  @Instant('When it ended.', { nullable: true })
  finishedAt!: string | null;
}

/** Imports into a mailbox, the newest first. */
export class ImportList extends PageOf(() => MailImport, 'Imports; the newest 100.', 100) {}

/** Input of stopping an import. */
export class StopImport extends IdOf('mbx', 'The mailbox.') {
  @Id('imp', 'The import.')
  importId!: string;
}

/** Imports of mail into a mailbox (`decisions.md` §9). */
export const imports = family(
  'mail',
  'imports',
  {
    run: operation({
      http: 'POST /mailboxes/:id/import',
      summary: 'Import a message or an mbox file into a mailbox',
      input: ImportMail,
      output: ImportCounts,
      request: { mediaTypes: importTypes },
      description: `A mailbox takes one import at a time. One whose sender is gone ends within 30 seconds;
one whose server is gone, within two minutes.`,
      problems: [
        'MAILBOX_NOT_FOUND',
        'IMPORT_UNDER_WAY',
        'IMPORT_STOPPED',
        'TOO_MANY_IMPORTS',
        'QUOTA_EXCEEDED',
      ],
    }),
    list: operation({
      http: 'GET /mailboxes/:id/imports',
      summary: 'List the imports into a mailbox',
      input: IdOf('mbx', 'The mailbox.'),
      output: ImportList,
      problems: ['MAILBOX_NOT_FOUND'],
    }),
    stop: operation({
      http: 'DELETE /mailboxes/:id/imports/:importId',
      addition: true,
      summary: 'Stop an import that is running',
      description: 'What it has imported stays. Its upload is answered 409 `IMPORT_STOPPED`.',
      input: StopImport,
      output: Done,
      problems: ['IMPORT_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);

/** Input of an import's beginning. */
export class BeginImport {
  @Id('mbx', 'The mailbox.')
  mailboxId!: string;
}

/** An import that has begun. */
export class BegunImport extends IdOf('imp', 'The import.') {}

/** Input of a step of an import: some of its messages, in their order. */
export class ImportMessages extends BegunImport {
  @Count('How many messages of the import came before these.', { max: many })
  first!: number;

  // One of 50 MiB, or many small ones: the bound is that of one in base64.
  @Texts('The messages as base64; `-` for one that was too large to be kept.', {
    max: 1000,
    each: 70 * 1024 * 1024,
  })
  messages!: string[];

  @Texts('The line above each in an mbox file, as it stands there; empty where there is none.', {
    max: 1000,
    each: 1024,
    optional: true,
  })
  separators?: string[];

  @Count('Bytes of the body that were read so far.', { max: many })
  bytesRead!: number;
}

/** Progress of an import. */
export class ImportProgress extends ImportCounts {
  @Count('Messages that are done, from the first one.', { max: many })
  done!: number;
}

/** Input of an import's end. */
export class EndImport extends BegunImport {
  @OneOf(['done', 'failed'], 'How it ended.')
  state!: 'done' | 'failed';

  @Count('Bytes of the body that were read.', { max: many })
  bytesRead!: number;
}

/** Result of an import. */
export class EndedImport extends ImportCounts {}

const notRunning = { problems: ['IMPORT_NOT_FOUND', 'IMPORT_STOPPED'] } as const;

/** Requests of the gateway to the mail service while it reads the body of an import. */
export const importSteps = family(
  'mail',
  'importSteps',
  {
    begin: operation({
      http: 'POST /imports',
      summary: 'Begin an import',
      input: BeginImport,
      output: BegunImport,
      audit: 'imports.run',
      problems: ['MAILBOX_NOT_FOUND', 'IMPORT_UNDER_WAY', 'QUOTA_EXCEEDED'],
    }),
    take: operation({
      http: 'POST /imports/:id/messages',
      effect: 'intake',
      summary: 'Take the next messages of an import',
      input: ImportMessages,
      output: ImportProgress,
      problems: [...notRunning.problems, 'QUOTA_EXCEEDED'],
    }),
    end: operation({
      http: 'POST /imports/:id/end',
      summary: 'End an import',
      input: EndImport,
      output: EndedImport,
      audit: null,
      ...notRunning,
    }),
  },
  { audience: 'service' },
);
