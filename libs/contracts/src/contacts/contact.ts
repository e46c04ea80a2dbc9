import { Creator } from '../conversations/index.js';
import {
  Id,
  Ids,
  Instant,
  ListOf,
  Part,
  phoneMax,
  pointTypeMax,
  Text,
  Texts,
  Version,
} from '../fields/index.js';

/** Limits of a contact (public-api.md §2); lengths in code points. */
export const contactLimits = {
  displayName: 120,
  givenName: 80,
  familyName: 80,
  organization: 120,
  jobTitle: 120,
  notes: 2000,
  emails: 10,
  phones: 10,
  groups: 20,
  group: 60,
} as const;

/** Contacts that one may have absorbed, so that its log stays readable. */
export const mergesMax = 200;

/** The fields that have one text. */
export const contactTexts = [
  'displayName',
  'givenName',
  'familyName',
  'organization',
  'jobTitle',
  'notes',
] as const;

const typeAbout = 'What it is for, such as `work`.';

/** A mail address of a contact. */
export class ContactEmail {
  @Text('The address; its domain in lower case, as people read it.', { max: 254 })
  value!: string;

  @Text(typeAbout, { max: pointTypeMax, nullable: true })
  type!: string | null;
}

/** A phone number of a contact. */
export class ContactPhone {
  @Text('The number, as it was given.', { max: phoneMax })
  value!: string;

  @Text(typeAbout, { max: pointTypeMax, nullable: true })
  type!: string | null;
}

/** A contact as lists show it. */
export class ContactItem {
  @Id('ctc', 'The contact.')
  id!: string;

  @Id('abk', 'Its address book; it never changes.')
  bookId!: string;

  @Text(
    'Its name: the one given, or else its given and family name, its first address, or its organization.',
    { max: contactLimits.displayName },
  )
  displayName!: string;

  @Text('Given name.', { max: contactLimits.givenName, nullable: true })
  givenName!: string | null;

  @Text('Family name.', { max: contactLimits.familyName, nullable: true })
  familyName!: string | null;

  @ListOf(() => ContactEmail, 'Mail addresses, the primary one first.', {
    max: contactLimits.emails,
  })
  emails!: ContactEmail[];

  @ListOf(() => ContactPhone, 'Phone numbers.', { max: contactLimits.phones })
  phones!: ContactPhone[];

  @Text('Organization.', { max: contactLimits.organization, nullable: true })
  organization!: string | null;

  @Text('Job title.', { max: contactLimits.jobTitle, nullable: true })
  jobTitle!: string | null;

  @Texts('Groups.', { max: contactLimits.groups, each: contactLimits.group })
  groups!: string[];

  @Text('Notes.', { max: contactLimits.notes, nullable: true })
  notes!: string | null;

  @Ids('ctc', 'The contacts that it has absorbed.', { max: mergesMax })
  mergedFrom!: string[];

  @Part(() => Creator, 'Who created it.')
  author!: Creator;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** One merge of a contact's log. */
export class ContactMerge {
  @Instant('When.')
  at!: string;

  @Part(() => Creator, 'Who merged them.')
  by!: Creator;

  @Id('ctc', 'The contact that was absorbed.')
  mergedId!: string;

  @Texts('The fields that it gave.', { max: 10, each: 20 })
  fields!: string[];
}

/** A contact in full. */
export class Contact extends ContactItem {
  @ListOf(() => ContactMerge, 'Its merges, the oldest first.', { max: mergesMax })
  mergeLog!: ContactMerge[];
}
