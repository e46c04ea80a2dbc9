import { FileAnswer } from '../answers.js';
import { MailboxName, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/**
 * Header of the answer of a large file, which has its first part only: what the next part is asked for with. The last
 * part has none. No client sees it.
 */
export const nextPartHeader = 'x-svc-next-part';

/** Input of the next part of a file. */
export class GetFilePart {
  @MailboxName('The mailbox that the file belongs to.')
  mailbox!: string;

  @Text('The part, as the one before it says.', { max: 1000 })
  part!: string;
}

/** Large files are read by the gateway part by part, as their client reads them: nothing of what is not read. */
export const fileParts = family(
  'mail',
  'fileParts',
  {
    get: operation({
      http: 'GET /file-parts',
      summary: 'Read the next part of a large file',
      input: GetFilePart,
      output: FileAnswer,
      problems: ['ATTACHMENT_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
      // Large ones wait for each other.
      deadlineMs: 30_000,
    }),
  },
  { audience: 'service' },
);
