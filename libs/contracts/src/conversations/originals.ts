import { FileAnswer } from '../answers.js';
import { Flag, Id, ListOf, MailboxName, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Header fields that are listed, and characters of each value. */
export const headersMax = 1000;
export const headerValueMax = 16_384;

/** A message of a mailbox. */
export class GetRawMessage {
  @Id('msg', 'The message.')
  id!: string;

  @MailboxName('The mailbox it belongs to.')
  mailbox!: string;
}

/** Input of the list of header fields. */
export class GetMessageHeaders extends GetRawMessage {}

/** A header field. */
export class MessageHeader {
  @Text('Name, as the message writes it.', { max: 998 })
  name!: string;

  @Text('Value in one line: unfolded, and encoded words decoded (RFC 2047).', {
    max: headerValueMax,
  })
  value!: string;
}

/** The header fields of a message. */
export class MessageHeaders {
  @ListOf(() => MessageHeader, 'Every field in the order of the message, repeated ones too.', {
    max: headersMax,
  })
  headers!: MessageHeader[];

  @Flag('True if fields or ends of values were left out: `raw` has all of them.')
  truncated!: boolean;
}

/** Messages as they came or left (`decisions.md` §4). */
export const messages = family('mail', 'messages', {
  raw: operation({
    http: 'GET /v1/messages/:id/raw',
    scope: 'read:conversations',
    addition: true,
    summary: 'Download a message as it came or left, byte for byte',
    input: GetRawMessage,
    output: FileAnswer,
    answer: { file: 'message/rfc822' },
    mailbox: 'read',
    problems: ['MESSAGE_NOT_FOUND'],
    // Large ones wait for each other.
    deadlineMs: 30_000,
  }),
  headers: operation({
    http: 'GET /v1/messages/:id/headers',
    scope: 'read:conversations',
    addition: true,
    summary: 'List the header fields of a message',
    input: GetMessageHeaders,
    output: MessageHeaders,
    mailbox: 'read',
    problems: ['MESSAGE_NOT_FOUND'],
  }),
});
