import { AnswerOf, Done, FileAnswer } from '../answers.js';
import { Count, Flag, HeaderText, Id, ListOf, OneOf, Text } from '../fields/index.js';
import { IdOf, VersionOf, withOptional } from '../inputs.js';
import { family, operation } from '../operation.js';
import {
  Contact,
  contactFaults,
  ContactItem,
  contactLimits,
  CreateContact,
  UpdateContact,
} from './contact.js';

/** Contacts in an answer, at most. */
export const contactsMax = 2000;

export const contactSorts = ['name', 'updated'] as const;

const tooLong = (max: number) => (value: unknown) =>
  typeof value === 'string' && [...value].length > max ? 'VALIDATION_FAILED' : undefined;

/** Input of the list. */
export class ListContacts {
  @Id('abk', 'Contacts of this book alone.', { optional: true })
  bookId?: string;

  @HeaderText('Contacts of this group alone; letter case does not count.', {
    max: contactLimits.group,
    optional: true,
    refusedAs: tooLong(contactLimits.group),
  })
  group?: string;

  @HeaderText(
    'Contacts whose name, organization or addresses contain each of these words; letter case and accents do not count.',
    { max: 500, optional: true, refusedAs: tooLong(500) },
  )
  q?: string;

  @OneOf(contactSorts, 'By name, in French order, or the last changed first.', {
    default: 'name',
  })
  sort!: (typeof contactSorts)[number];
}

/** Contacts of the books that the caller may read. */
export class ContactList {
  @ListOf(() => ContactItem, 'Contacts.', { max: contactsMax })
  contacts!: ContactItem[];

  @Count('How many there are.', { max: Number.MAX_SAFE_INTEGER })
  total!: number;

  @Flag('Whether there are more than these.')
  truncated!: boolean;
}

/** Input of the list of groups. */
export class ListGroups {
  @Id('abk', 'Groups of this book alone.', { optional: true })
  bookId?: string;
}

/** A group of contacts. */
export class ContactGroup {
  @Text('Its name; letter case does not count.', { max: contactLimits.group })
  group!: string;

  @Count('The contacts in it.', { max: Number.MAX_SAFE_INTEGER })
  contacts!: number;
}

/** Groups of contacts, by name. */
export class GroupList {
  @ListOf(() => ContactGroup, 'Groups, by name.', { max: 1_000 })
  groups!: ContactGroup[];

  @Flag('Whether there are more than these.')
  truncated!: boolean;
}

/** One contact in full. */
export class ContactAnswer extends AnswerOf('contact', () => Contact, 'The contact.') {}

/** One contact as a change answers it: `mergeLog` is on the detail route alone (public-api.md §2). */
export class ContactStored extends AnswerOf('contact', () => ContactItem, 'The contact.') {}

class Existed {
  @Flag('True where the book had the contact already: what was given has overwritten it.')
  existed!: boolean;
}

/** Answer of creation. */
export class ContactCreated extends withOptional(ContactStored, Existed, ['existed']) {}

/** Input of reading one. */
export class GetContact extends IdOf('ctc', 'The contact.') {}

/** Input of reading a photo. */
export class GetContactPhoto extends IdOf('ctc', 'The contact.') {}

/** Input of removal. */
export class RemoveContact extends VersionOf('ctc', 'The contact.') {}

const content = `Texts are trimmed. What is in the body beside the fields below is ignored. Two contacts of a
book are the same when their first addresses are, without regard to letter case, or, without an address,
when their names look alike.`;

/** Contacts (public-api.md §4). */
export const contacts = family(
  'directory',
  'contacts',
  {
    list: operation({
      http: 'GET /v1/contacts',
      scope: 'read:contacts',
      member: true,
      summary: 'List contacts',
      description: 'At most 2,000; `total` counts all that match. Merged contacts are not listed.',
      input: ListContacts,
      output: ContactList,
      problems: ['FORBIDDEN', 'BOOK_NOT_FOUND'],
    }),
    groups: operation({
      http: 'GET /v1/contacts/groups',
      scope: 'read:contacts',
      member: true,
      addition: true,
      summary: 'List the groups of contacts, and how many contacts are in each',
      input: ListGroups,
      output: GroupList,
      problems: ['FORBIDDEN', 'BOOK_NOT_FOUND'],
    }),
    get: operation({
      http: 'GET /v1/contacts/:id',
      scope: 'read:contacts',
      member: true,
      summary: 'Read a contact, with its merges',
      input: GetContact,
      output: ContactAnswer,
      problems: ['FORBIDDEN', 'CONTACT_NOT_FOUND'],
    }),
    photo: operation({
      http: 'GET /v1/contacts/:id/photo',
      scope: 'read:contacts',
      member: true,
      addition: true,
      summary: 'Read the photo of a contact',
      description: 'PNG or JPEG of 256 KiB at most, as an imported card brought it.',
      input: GetContactPhoto,
      output: FileAnswer,
      answer: { file: 'image/*' },
      problems: ['FORBIDDEN', 'CONTACT_NOT_FOUND', 'PHOTO_NOT_FOUND'],
    }),
    create: operation({
      http: 'POST /v1/contacts',
      scope: 'write:contacts',
      member: true,
      success: 201,
      existing: true,
      summary: 'Create a contact, or overwrite the one that the book has already',
      description: `${content} Where the book has it already, the answer is 200 with \`existed\`: what was
given overwrites, and identifier and author stay.`,
      input: CreateContact,
      output: ContactCreated,
      rule: contactFaults,
      unknownFields: 'ignore',
      emits: ['contact.created', 'contact.updated'],
      problems: [
        'VALIDATION_FAILED',
        'EMPTY_CONTACT',
        'FORBIDDEN',
        'BOOK_NOT_FOUND',
        'CONTACT_EXISTS',
        'QUOTA_EXCEEDED',
      ],
    }),
    update: operation({
      http: 'PATCH /v1/contacts/:id',
      scope: 'write:contacts',
      member: true,
      summary: 'Change a contact: what is absent stays, null clears',
      description: `${content} A change that would make it the same as another contact of its book is
refused. What changes nothing leaves \`version\` and \`updatedAt\` as they were.`,
      input: UpdateContact,
      output: ContactStored,
      unknownFields: 'ignore',
      emits: ['contact.updated'],
      problems: [
        'VALIDATION_FAILED',
        'EMPTY_CONTACT',
        'FORBIDDEN',
        'CONTACT_NOT_FOUND',
        'CONTACT_EXISTS',
      ],
    }),
    remove: operation({
      http: 'DELETE /v1/contacts/:id',
      scope: 'write:contacts',
      member: true,
      summary: 'Delete a contact',
      input: RemoveContact,
      output: Done,
      emits: ['contact.deleted'],
      problems: ['FORBIDDEN', 'CONTACT_NOT_FOUND'],
    }),
  },
  { codes: 'contacts' },
);
