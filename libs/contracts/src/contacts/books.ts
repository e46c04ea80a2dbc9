import { AnswerOf, Done, PageOf } from '../answers.js';
import {
  BookAccess,
  Count,
  Flag,
  HeaderText,
  Id,
  Instant,
  Text,
  unseenFaults,
  Version,
  type BookAccessValue,
  type Violation,
} from '../fields/index.js';
import { ChangeOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Address books of a workspace, at most. */
export const booksMax = 1000;

const nameAbout = 'Name.';
const nameOptions = { max: 120, filled: true } as const;
const accessAbout =
  'The whole workspace, which may write too, or the members who have access. Administrators always have.';

/** An address book. */
export class AddressBook {
  @Id('abk', 'The book.')
  id!: string;

  @Text(nameAbout, nameOptions)
  name!: string;

  @BookAccess(accessAbout)
  access!: BookAccessValue;

  @Count('Its contacts.', { max: Number.MAX_SAFE_INTEGER })
  contactCount!: number;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change of the book itself.')
  updatedAt!: string;

  @Version('Grows by one with every change of the book itself.')
  version!: number;
}

/** Input of creation. */
export class CreateBook {
  @HeaderText(nameAbout, nameOptions)
  name!: string;

  @BookAccess(accessAbout, { default: 'workspace' })
  access!: BookAccessValue;
}

/** Input of change: absent stays. */
export class UpdateBook extends ChangeOf('abk', 'The book.', CreateBook, ['name', 'access']) {}

/** Input of removal. */
export class RemoveBook extends VersionOf('abk', 'The book.') {
  @Flag('Delete its contacts with it.', { default: false })
  force!: boolean;
}

/** One book. */
export class BookAnswer extends AnswerOf('book', () => AddressBook, 'The book.') {}

/** The books of a workspace. */
export class BookPage extends PageOf(() => AddressBook, 'Books, by name.', booksMax) {}

/** Each member once: twice may say two things. */
const accessFaults = ({ access }: UpdateBook): readonly Violation[] => {
  if (access === undefined || access === 'workspace') return [];
  const isOnce = new Set(access.map(({ member }) => member)).size === access.length;
  const message = { fr: 'chaque membre une seule fois', en: 'name each member once' };
  return isOnce ? [] : [{ field: 'access', message }];
};

const bookFaults = (input: UpdateBook): readonly Violation[] => [
  ...unseenFaults('name', input.name),
  ...accessFaults(input),
];

/** Address books as administrators keep them. */
export const addressBooks = family(
  'directory',
  'addressBooks',
  {
    list: operation({
      http: 'GET /address-books',
      summary: 'List the address books',
      output: BookPage,
    }),
    create: operation({
      http: 'POST /address-books',
      success: 201,
      summary: 'Add an address book',
      input: CreateBook,
      rule: (input: CreateBook) => bookFaults({ id: '', ...input }),
      output: BookAnswer,
      problems: ['TOO_MANY_BOOKS'],
    }),
    update: operation({
      http: 'PATCH /address-books/:id',
      summary: 'Change the name or the access of an address book',
      input: UpdateBook,
      rule: (input: UpdateBook) => bookFaults(input),
      output: BookAnswer,
      problems: ['BOOK_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /address-books/:id',
      summary: 'Delete an address book',
      description: `One that has contacts is refused without \`force=true\`. With it, the book is gone at
once, and its contacts are deleted in the background, each with its event.`,
      input: RemoveBook,
      output: Done,
      problems: ['BOOK_NOT_FOUND', 'BOOK_NOT_EMPTY'],
    }),
  },
  { audience: 'member', admin: true },
);
