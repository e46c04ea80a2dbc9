import { booksMax } from './contacts/books.js';
import { Count, Email, Flag, Id, ListOf, MailboxName, OneOf, Text } from './fields/index.js';
import { Nothing } from './inputs.js';
import { family, operation } from './operation.js';
import { mailboxAccesses, type MailboxAccess } from './settings/keys.js';

/** Entries of a list. */
const listMax = 1_000;

const truncatedAbout = 'Whether there are more than these.';

/** A mailbox that the caller may read. */
export class ReadableMailbox {
  @Id('mbx', 'The mailbox.')
  id!: string;

  @Email('Its address, by which requests name it.')
  address!: string;

  @Text('Its name.', { max: 120 })
  name!: string;

  @OneOf(mailboxAccesses, 'Whether it may be written in.')
  access!: MailboxAccess;
}

/** Input of the list of mailboxes. */
export class ListReadableMailboxes extends Nothing {}

/** The mailboxes of the caller. */
export class ReadableMailboxes {
  @ListOf(() => ReadableMailbox, 'Mailboxes, by address.', { max: listMax })
  mailboxes!: ReadableMailbox[];

  @Flag(truncatedAbout)
  truncated!: boolean;
}

/** Input of the list of labels. */
export class ListLabels {
  @MailboxName('The mailbox.')
  mailbox!: string;
}

/** A label of a mailbox. */
export class LabelCount {
  @Text('The label, as the mailbox writes it.', { max: 128 })
  label!: string;

  @Count('Conversations that have it.', { max: Number.MAX_SAFE_INTEGER })
  conversations!: number;
}

/** The labels of a mailbox. */
export class LabelList {
  @ListOf(() => LabelCount, 'Labels, by name.', { max: listMax })
  labels!: LabelCount[];

  @Flag(truncatedAbout)
  truncated!: boolean;
}

/** Names that requests about mail need (`decisions.md` §4). */
export const mailLists = family('mail', 'mailLists', {
  mailboxes: operation({
    http: 'GET /v1/mailboxes',
    scope: 'any',
    summary: 'List the mailboxes that the caller may read',
    input: ListReadableMailboxes,
    output: ReadableMailboxes,
    addition: true,
  }),
  labels: operation({
    http: 'GET /v1/labels',
    scope: 'read:conversations',
    summary: 'List the labels of a mailbox, and how many conversations have each',
    input: ListLabels,
    output: LabelList,
    mailbox: 'read',
    problems: ['MAILBOX_NOT_FOUND'],
    addition: true,
  }),
});

/** An active member of the workspace. */
export class NamedMember {
  @Id('mbr', 'The member.')
  id!: string;

  @Email('Address, by which conversations and tasks are assigned.')
  email!: string;

  @Text('Name.', { max: 120 })
  name!: string;
}

/** Input of the list of members. */
export class ListNamedMembers extends Nothing {}

/** The members of the workspace. */
export class NamedMembers {
  @ListOf(() => NamedMember, 'Active members, first made first.', { max: listMax })
  members!: NamedMember[];

  @Flag(truncatedAbout)
  truncated!: boolean;
}

/** A team of the workspace. */
export class NamedTeam {
  @Id('tea', 'The team, as `teamId` names it.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;
}

/** Input of the list of teams. */
export class ListNamedTeams extends Nothing {}

/** The teams of the workspace. */
export class NamedTeams {
  @ListOf(() => NamedTeam, 'Teams, first made first.', { max: listMax })
  teams!: NamedTeam[];

  @Flag(truncatedAbout)
  truncated!: boolean;
}

/** People and teams that work can be given to (`decisions.md` §4). */
export const people = family('access', 'people', {
  members: operation({
    http: 'GET /v1/members',
    scope: 'any',
    summary: 'List the active members of the workspace',
    input: ListNamedMembers,
    output: NamedMembers,
    addition: true,
  }),
  teams: operation({
    http: 'GET /v1/teams',
    scope: 'any',
    summary: 'List the teams of the workspace',
    input: ListNamedTeams,
    output: NamedTeams,
    addition: true,
  }),
});

/** An address book that the caller's member may use. */
export class UsableBook {
  @Id('abk', 'The book, as `bookId` names it.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @OneOf(mailboxAccesses, 'Whether contacts may be written in it.')
  access!: MailboxAccess;
}

/** Input of the list of books. */
export class ListUsableBooks extends Nothing {}

/** The books of the caller's member. */
export class UsableBooks {
  @ListOf(() => UsableBook, 'Books, by name.', { max: booksMax })
  addressBooks!: UsableBook[];

  @Flag(truncatedAbout)
  truncated!: boolean;
}

/** Address books that contacts can be written in (`decisions.md` §4). */
export const bookLists = family('directory', 'bookLists', {
  addressBooks: operation({
    http: 'GET /v1/address-books',
    scope: 'read:contacts',
    summary: 'List the address books that the member of the key may use',
    input: ListUsableBooks,
    output: UsableBooks,
    member: true,
    addition: true,
  }),
});

/** Entries that a list is made of, and one more, which shows that there are others. */
export const listedMax = listMax + 1;

/** The entries of a list that was read one too far. */
export const listed = <T>(
  found: readonly T[],
): { readonly all: T[]; readonly truncated: boolean } => ({
  all: found.slice(0, listMax),
  truncated: found.length > listMax,
});
