import { Participant } from '../answers.js';
import { Id, Part, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { ContactCreated } from './operations.js';

/** Input of making a contact of a sender. */
export class CreateContactFromMessage {
  @Id('msg', 'A received message.')
  messageId!: string;

  @Id('abk', 'The book.')
  bookId!: string;
}

/** Contacts made of the senders of messages, by members (`decisions.md` §9). */
export const senderContacts = family(
  'access',
  'senderContacts',
  {
    create: operation({
      http: 'POST /contacts/from-message',
      success: 201,
      existing: true,
      summary: 'Create a contact from the sender of a received message',
      description: `It has the sender’s address and name. Where the book has a contact of that address
already, the answer is 200 with \`existed\`, and nothing of it changes.`,
      input: CreateContactFromMessage,
      output: ContactCreated,
      problems: [
        'MESSAGE_NOT_FOUND',
        'EMPTY_CONTACT',
        'FORBIDDEN',
        'BOOK_NOT_FOUND',
        'QUOTA_EXCEEDED',
      ],
      // The directory records it, with the contact.
      audit: null,
      addition: true,
    }),
  },
  { audience: 'member' },
);

/** Input of looking up a sender. */
export class FindSender {
  @Id('msg', 'The message.')
  messageId!: string;
}

/** Sender of a message. */
export class MessageSender {
  @Part(() => Participant, 'Null when the message names nobody.', { nullable: true })
  sender!: Participant | null;
}

/** Requests of the gateway to mail. */
export const messageSenders = family(
  'mail',
  'messageSenders',
  {
    find: operation({
      http: 'GET /services/mail/message-senders',
      summary: 'Find who sent a message that the member may read',
      input: FindSender,
      output: MessageSender,
      problems: ['MESSAGE_NOT_FOUND'],
    }),
  },
  { audience: 'service' },
);

/** Input of keeping a sender. */
export class KeepSender {
  @Id('abk', 'The book.')
  bookId!: string;

  @Text('The address, as the message gave it.', { max: 998 })
  email!: string;

  @Text('The name, as the message gave it.', { max: 998, nullable: true })
  name!: string | null;
}

/** Requests that the gateway then makes to the directory. */
export const keptSenders = family(
  'directory',
  'keptSenders',
  {
    keep: operation({
      http: 'POST /services/directory/kept-senders',
      success: 201,
      existing: true,
      summary: 'Create a contact for a sender, unless the book has one',
      input: KeepSender,
      output: ContactCreated,
      emits: ['contact.created'],
      problems: ['EMPTY_CONTACT', 'FORBIDDEN', 'BOOK_NOT_FOUND', 'QUOTA_EXCEEDED'],
      audit: 'senderContacts.create',
    }),
  },
  { audience: 'service' },
);
