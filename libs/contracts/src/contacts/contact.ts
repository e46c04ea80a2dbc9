import {
  addressPartMax,
  Birthday,
  type ContactPointValue,
  EmailPoints,
  Flag,
  Groups,
  HeaderText,
  Id,
  Ids,
  IfMatch,
  Instant,
  isVisible,
  linkMax,
  ListOf,
  Part,
  phoneMax,
  PhonePoints,
  pointTypeMax,
  PostalAddresses,
  type PostalAddressValue,
  Text,
  Texts,
  UrlPoints,
  Version,
  type Violation,
} from '../fields/index.js';
import type { ProblemCode } from '../problems.js';
import { Creator } from '../conversations/message.js';

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
  addresses: 5,
  urls: 5,
  groups: 20,
  group: 60,
} as const;

/** Bytes of a photo. */
export const photoBytesMax = 256 * 1024;

/** Fields that a log names of one merge: the published events allow no more. */
export const mergedFieldsMax = 10;

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

const part = (name: Parameters<typeof addressPartMax>[0]) =>
  ({ max: addressPartMax(name), nullable: true }) as const;

/** A postal address of a contact. */
export class ContactAddress {
  @Text('Street, house and box, a line each.', part('street'))
  street!: string | null;

  @Text('City.', part('city'))
  city!: string | null;

  @Text('Region, state or province.', part('region'))
  region!: string | null;

  @Text('Postal code.', part('postalCode'))
  postalCode!: string | null;

  @Text('Country, as it was given.', part('country'))
  country!: string | null;

  @Text(typeAbout, part('type'))
  type!: string | null;
}

/** A web page of a contact. */
export class ContactUrl {
  @Text('The link, `http:` or `https:`.', { max: linkMax })
  value!: string;

  @Text(typeAbout, { max: pointTypeMax, nullable: true })
  type!: string | null;
}

const birthdayAbout = 'Birthday; `--01-31` where the year is not known.';

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

  @ListOf(() => ContactAddress, 'Postal addresses.', {
    max: contactLimits.addresses,
    optional: true,
  })
  addresses?: ContactAddress[];

  @Birthday(birthdayAbout, { nullable: true, optional: true })
  birthday?: string | null;

  @ListOf(() => ContactUrl, 'Web pages.', { max: contactLimits.urls, optional: true })
  urls?: ContactUrl[];

  @Flag('Whether it has a photo.', { optional: true })
  hasPhoto?: boolean;

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

  @Texts('The fields that it gave; the first ten of them.', { max: mergedFieldsMax, each: 20 })
  fields!: string[];
}

/** A contact in full. */
export class Contact extends ContactItem {
  @ListOf(() => ContactMerge, 'Its merges, the oldest first.', { max: mergesMax })
  mergeLog!: ContactMerge[];
}

const refusedAs = (): ProblemCode => 'VALIDATION_FAILED';
const maybe = { optional: true, nullable: true, refusedAs } as const;
const line = (name: 'displayName' | 'givenName' | 'familyName' | 'organization' | 'jobTitle') =>
  ({ max: contactLimits[name], ...maybe }) as const;

/** Fields of a contact; null clears. */
export class ContactContent {
  @HeaderText('Its name; derived from the other fields when absent.', line('displayName'))
  displayName?: string | null;

  @HeaderText('Given name.', line('givenName'))
  givenName?: string | null;

  @HeaderText('Family name.', line('familyName'))
  familyName?: string | null;

  @EmailPoints(
    'Mail addresses, the primary one first. Entries without a valid `value`, and repetitions, are left out.',
    { max: contactLimits.emails, ...maybe },
  )
  emails?: ContactPointValue[] | null;

  @PhonePoints('Phone numbers. Entries without a `value`, and repetitions, are left out.', {
    max: contactLimits.phones,
    ...maybe,
  })
  phones?: ContactPointValue[] | null;

  @HeaderText('Organization.', line('organization'))
  organization?: string | null;

  @HeaderText('Job title.', line('jobTitle'))
  jobTitle?: string | null;

  @Groups('Groups. Repetitions are left out; letter case does not count.', {
    max: contactLimits.groups,
    each: contactLimits.group,
    ...maybe,
  })
  groups?: string[] | null;

  @Text('Notes.', { max: contactLimits.notes, ...maybe })
  notes?: string | null;

  @PostalAddresses('Postal addresses. Entries without any part, and repetitions, are left out.', {
    max: contactLimits.addresses,
    ...maybe,
  })
  addresses?: PostalAddressValue[] | null;

  @Birthday(birthdayAbout, maybe)
  birthday?: string | null;

  @UrlPoints(
    'Web pages; one without a scheme gets `https:`. Entries without a valid `value`, and repetitions, are left out.',
    { max: contactLimits.urls, ...maybe },
  )
  urls?: ContactPointValue[] | null;
}

/** Fields of a new contact. */
export class NewContact extends ContactContent {
  @Id('abk', 'Its address book: required, here or beside `contact`.', { optional: true })
  bookId?: string;
}

/** Input of creation. */
export class CreateContact extends NewContact {
  @Part(() => NewContact, 'The contact; the fields beside it are taken where it is absent.', {
    optional: true,
  })
  contact?: NewContact;
}

/** Input of change: absent stays, null clears. */
export class UpdateContact extends ContactContent {
  @Id('ctc', 'The contact.')
  id!: string;

  @Part(() => ContactContent, 'The contact; the fields beside it are taken where it is absent.', {
    optional: true,
  })
  contact?: ContactContent;

  @IfMatch()
  ifMatch?: number;
}

/** The contact that is given: `contact`, or, without it, the body itself. */
export const contactGiven = (input: ContactContent & { contact?: ContactContent }) =>
  input.contact ?? input;

/** The book that a new contact is given. */
export const bookGiven = ({ bookId, contact }: CreateContact): string | undefined =>
  contact?.bookId ?? bookId;

const isFilled = (text: string | null | undefined): boolean => isVisible(text ?? '');

interface Named extends Pick<
  ContactContent,
  'displayName' | 'givenName' | 'familyName' | 'organization'
> {
  readonly emails?: readonly ContactPointValue[] | null;
}

/** True with a name, an address or an organization, without which it is no contact. */
export const isContact = (given: Named): boolean =>
  [given.displayName, given.givenName, given.familyName, given.organization].some(isFilled) ||
  (given.emails ?? []).length > 0;

/** Faults of a new contact. */
export function contactFaults(input: CreateContact): readonly Violation[] {
  const faults: Violation[] = [];
  if (!isContact(contactGiven(input))) {
    faults.push({
      field: input.contact ? 'contact' : '',
      fault: 'REQUIRED',
      message: {
        fr: 'un nom, une adresse ou une organisation attendus',
        en: 'expected a name, an address or an organization',
      },
      code: 'EMPTY_CONTACT' satisfies ProblemCode,
    });
  }
  if (bookGiven(input) === undefined) {
    faults.push({
      field: 'bookId',
      fault: 'REQUIRED',
      message: { fr: 'identifiant attendu', en: 'expected an identifier' },
      code: 'INVALID_ARGUMENT' satisfies ProblemCode,
    });
  }
  return faults;
}
