import { WholeList } from '../answers.js';
import { Id, Ids, ListOf, Part, SomeOf, Text, Texts } from '../fields/index.js';
import { family, operation } from '../operation.js';
import {
  Contact,
  ContactAddress,
  ContactEmail,
  ContactItem,
  contactLimits,
  ContactPhone,
  ContactUrl,
} from './contact.js';

/** Contacts that one merge may absorb. */
export const mergedAtOnceMax = 50;

/** Pairs in an answer. */
export const duplicatesMax = 100;

/** Input of a merge. */
export class MergeContacts {
  @Id('ctc', 'The contact that stays.')
  survivorId!: string;

  @Ids('ctc', 'Contacts of the same book, which it absorbs in this order.', {
    max: mergedAtOnceMax,
  })
  mergedIds!: string[];
}

const leftOutMax = (each: number) => ({ max: each * mergedAtOnceMax });

/** Values of merged contacts that the survivor has no room for; undoing the merge gives them back. */
export class LeftOut {
  @ListOf(() => ContactEmail, 'Mail addresses.', leftOutMax(contactLimits.emails))
  emails!: ContactEmail[];

  @ListOf(() => ContactPhone, 'Phone numbers.', leftOutMax(contactLimits.phones))
  phones!: ContactPhone[];

  @Texts('Groups.', { ...leftOutMax(contactLimits.groups), each: contactLimits.group })
  groups!: string[];

  @Texts('Notes beside those of the survivor.', {
    ...leftOutMax(1),
    each: contactLimits.notes,
  })
  notes!: string[];

  @ListOf(() => ContactAddress, 'Postal addresses.', leftOutMax(contactLimits.addresses))
  addresses!: ContactAddress[];

  @ListOf(() => ContactUrl, 'Web pages.', leftOutMax(contactLimits.urls))
  urls!: ContactUrl[];
}

/** Answer of a merge. */
export class Merged {
  @Part(() => Contact, 'The survivor.')
  contact!: Contact;

  @Part(() => LeftOut, 'What of the merged contacts it had no room for.')
  leftOut!: LeftOut;
}

/** Input of the undoing of a merge. */
export class UnmergeContact {
  @Id('ctc', 'The contact that was absorbed.')
  mergedId!: string;
}

/** Answer of the undoing. */
export class Unmerged {
  @Part(() => Contact, 'The contact that was absorbed, as it was.')
  contact!: Contact;

  @Part(() => Contact, 'The one that had absorbed it.')
  survivor!: Contact;
}

/** Input of the list of likely duplicates. */
export class ListDuplicates {
  @Id('abk', 'The book.')
  bookId!: string;
}

/** Why two contacts are likely to be the same. */
export const duplicateReasons = ['address', 'phone', 'name'] as const;

/** Two contacts that are likely to be the same. */
export class DuplicatePair {
  @ListOf(() => ContactItem, 'The two, the older one first.', { max: 2 })
  contacts!: ContactItem[];

  @SomeOf(
    duplicateReasons,
    'The same address in another spelling, the same phone number, the same name and organization.',
  )
  reasons!: (typeof duplicateReasons)[number][];
}

/** Likely duplicates of a book. */
export class DuplicateList extends WholeList {
  @ListOf(() => DuplicatePair, 'Pairs, the likeliest first.', { max: duplicatesMax })
  items!: DuplicatePair[];

  @Text('Always null: when these are merged, ask for the next ones.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** Duplicates and their merging. */
export const contactMerging = family(
  'directory',
  'contactMerging',
  {
    merge: operation({
      http: 'POST /contacts/merge',
      summary: 'Merge contacts of a book into one of them',
      description: `The survivor absorbs what it lacks, and its lists become unions, to their limits:
\`leftOut\` has the entries beyond. The others are unknown from then on; those that they had absorbed go over.`,
      input: MergeContacts,
      output: Merged,
      rule: ({ survivorId, mergedIds }: MergeContacts) =>
        mergedIds.length === 0 || mergedIds.includes(survivorId)
          ? [
              {
                field: 'mergedIds',
                message: {
                  fr: 'au moins un autre contact attendu, sans le survivant',
                  en: 'expected at least one contact, the survivor not among them',
                },
              },
            ]
          : [],
      emits: ['contact.merged'],
      problems: ['FORBIDDEN', 'CONTACT_NOT_FOUND', 'TOO_MANY_MERGES', 'CONTACT_EXISTS'],
    }),
    unmerge: operation({
      http: 'POST /contacts/:mergedId/unmerge',
      summary: 'Undo a merge',
      description: `The contact is as it was, with its id, and the survivor gives back what it had absorbed
from it. What has changed since, or a survivor that was merged in its turn, is a conflict.`,
      input: UnmergeContact,
      output: Unmerged,
      emits: ['contact.created', 'contact.updated'],
      problems: ['FORBIDDEN', 'CONTACT_NOT_FOUND', 'MERGE_CHANGED', 'CONTACT_EXISTS'],
      addition: true,
    }),
    duplicates: operation({
      http: 'GET /contacts/duplicates',
      summary: 'List pairs of contacts of a book that are likely to be the same',
      input: ListDuplicates,
      output: DuplicateList,
      problems: ['FORBIDDEN', 'BOOK_NOT_FOUND'],
      addition: true,
    }),
  },
  { audience: 'member' },
);
