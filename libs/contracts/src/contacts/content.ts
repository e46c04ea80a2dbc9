import {
  EmailPoints,
  Groups,
  HeaderText,
  Id,
  IfMatch,
  isVisible,
  Part,
  PhonePoints,
  Text,
  type ContactPointValue,
  type Violation,
} from '../fields/index.js';
import type { ProblemCode } from '../problems.js';
import { contactLimits } from './contact.js';

const refusedAs = (): ProblemCode => 'VALIDATION_FAILED';
const maybe = { optional: true, nullable: true, refusedAs } as const;
const line = (name: 'displayName' | 'givenName' | 'familyName' | 'organization' | 'jobTitle') =>
  ({ max: contactLimits[name], ...maybe }) as const;

/** What a contact may say; null clears. */
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
}

/** What a new contact may say. */
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

/** What is given of a contact: `contact`, or, without it, the body itself. */
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

/** Whether it has a name, an address or an organization, without which it is no contact. */
export const isContact = (given: Named): boolean =>
  [given.displayName, given.givenName, given.familyName, given.organization].some(isFilled) ||
  (given.emails ?? []).length > 0;

/** What a new contact lacks. */
export function contactFaults(input: CreateContact): readonly Violation[] {
  const faults: Violation[] = [];
  if (!isContact(contactGiven(input))) {
    faults.push({
      field: input.contact ? 'contact' : '',
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
      message: { fr: 'identifiant attendu', en: 'expected an identifier' },
      code: 'INVALID_ARGUMENT' satisfies ProblemCode,
    });
  }
  return faults;
}
