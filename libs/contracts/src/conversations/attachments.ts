import { FileAnswer } from '../answers.js';
import { Id, MailboxName } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Input of a download. */
export class GetAttachment {
  @Id('att', 'The attachment.')
  id!: string;

  @MailboxName('The mailbox it came to.')
  mailbox!: string;
}

/** Files of messages (`decisions.md` §4). */
export const attachments = family('mail', 'attachments', {
  get: operation({
    http: 'GET /v1/attachments/:id',
    scope: 'read:conversations',
    effect: 'read',
    addition: true,
    summary: 'Download a file of a message, byte for byte',
    input: GetAttachment,
    output: FileAnswer,
    mailbox: 'read',
    problems: ['ATTACHMENT_NOT_FOUND'],
    // Large ones wait for each other.
    deadlineMs: 30_000,
  }),
});
