import { Count, Flag, Id, Ids, Instant, ListOf, OneOf, Text, Texts } from './fields/index.js';
import { family, operation } from './operation.js';
import { Done } from './answers.js';
import { contactLimits } from './contacts/contact.js';

/** Data of other services that the mail service keeps, to show it beside conversations. */
export const readModelNames = ['contacts', 'links'] as const;

/** Input of a step of a rebuild. */
export class RebuildReadModel {
  @OneOf(readModelNames, 'What is rebuilt.')
  of!: (typeof readModelNames)[number];

  @Text('Goes on after this id.', { max: 30, default: '' })
  after!: string;
}

/** Answer of a rebuild. */
export class ReadModelRebuilt {
  @Flag('Always true.')
  ok!: boolean;
}

/** The position where a page of a rebuild begins. */
export class ReadPage {
  @Text('After this id.', { max: 30 })
  after!: string;
}

/** Fields of every page of a rebuild beside its data. */
export class RebuiltPage {
  @Instant('When it was read: what happened later is for events to tell.')
  at!: string;

  @Text('The id with which it ends; null where nothing follows.', { max: 30, nullable: true })
  after!: string | null;
}

/** Rebuilding of read models, page by page. */
export const readModels = family(
  'access',
  'readModels',
  {
    rebuild: operation({
      http: 'POST /read-models/rebuild',
      effect: 'intake',
      answer: 'steps',
      summary: 'Rebuild what conversations show of contacts, or of tasks and events',
      description: `It is kept by events, so this is for a database that was restored, or events that were
lost. Nothing is out of sight meanwhile, and it may be repeated.`,
      input: RebuildReadModel,
      output: ReadModelRebuilt,
      addition: true,
    }),
  },
  { audience: 'member', admin: true },
);

const many = Number.MAX_SAFE_INTEGER;

/** Books and contacts of a page, at most. */
export const booksPageMax = 20;
export const contactsPageMax = 500;

/** Members who may read a book. */
export class ReadableBook {
  @Id('abk', 'The book.')
  id!: string;

  @Flag('Whether every member may.')
  isShared!: boolean;

  @Ids('mbr', 'Members who may, where it is not shared.', { max: 1000 })
  memberIds!: string[];

  @Count('Number of the last event about it.', { max: many })
  sequence!: number;
}

/** A contact as far as conversations show it. */
export class ContactBesideMail {
  @Id('ctc', 'The contact.')
  id!: string;

  @Id('abk', 'Its book.')
  bookId!: string;

  @Text('Its name.', { max: contactLimits.displayName })
  name!: string;

  @Texts('Its addresses.', { max: contactLimits.emails, each: 320 })
  addresses!: string[];

  @Count('Number of its last event.', { max: many })
  sequence!: number;

  @Instant('Its last change.')
  changedAt!: string;
}

/** Books and contacts of a workspace in the order of their ids, books first. */
export class ContactPage extends RebuiltPage {
  @ListOf(() => ReadableBook, 'Books.', { max: booksPageMax })
  books!: ReadableBook[];

  @ListOf(() => ContactBesideMail, 'Contacts.', { max: contactsPageMax })
  contacts!: ContactBesideMail[];
}

/** A page, and where it begins: what is known between its ends and not in it is gone. */
export class LearnContactPage extends ContactPage {
  @Text('After this id.', { max: 30 })
  from!: string;
}

/** Requests of the gateway to the directory when contacts beside mail are rebuilt. */
export const contactPages = family(
  'directory',
  'contactPages',
  {
    read: operation({
      http: 'GET /services/directory/contact-pages',
      summary: 'Read a page of the books and contacts of a workspace',
      input: ReadPage,
      output: ContactPage,
    }),
  },
  { audience: 'service' },
);

/** Requests by which the gateway then hands them to mail. */
export const learntContacts = family(
  'mail',
  'learntContacts',
  {
    learn: operation({
      http: 'POST /services/mail/learnt-contacts',
      summary: 'Learn a page of the books and contacts of a workspace',
      input: LearnContactPage,
      output: Done,
      audit: 'readModels.rebuild',
      isAudited: ({ from }) => from === '',
    }),
  },
  { audience: 'service' },
);

/** Calendars or links of a page, at most. */
export const linksPageMax = 500;

/** Members who may see a calendar. */
export class VisibleCalendar {
  @Id('cal', 'The calendar.')
  id!: string;

  @Flag('Whether every member may.')
  isShared!: boolean;

  @Id('mbr', 'The member who may, where it is not shared.')
  ownerId!: string;
}

/** A task or event that is about a conversation. */
export class LinkBesideMail {
  @Text('The task or event.', { max: 30 })
  id!: string;

  @Text('Its title.', { max: 200 })
  title!: string;

  @Text('The conversation.', { max: 200 })
  threadId!: string;

  @Id('cal', 'Its calendar; null of a task.', { nullable: true })
  calendarId!: string | null;

  @Count('Number of its last event.', { max: Number.MAX_SAFE_INTEGER })
  sequence!: number;
}

/** Calendars of a workspace, then its events and tasks with a conversation, in the order of their ids. */
export class LinkPage extends RebuiltPage {
  @ListOf(() => VisibleCalendar, 'Calendars.', { max: linksPageMax })
  calendars!: VisibleCalendar[];

  @ListOf(() => LinkBesideMail, 'Tasks and events.', { max: linksPageMax })
  links!: LinkBesideMail[];
}

/** A page, and where it begins: what is known between its ends and not in it is gone. */
export class LearnLinkPage extends LinkPage {
  @Text('After this id.', { max: 30 })
  from!: string;
}

/** Requests of the gateway to scheduling when links of conversations are rebuilt. */
export const linkPages = family(
  'scheduling',
  'linkPages',
  {
    read: operation({
      http: 'GET /services/scheduling/link-pages',
      summary: 'Read a page of the calendars of a workspace, and of what is about conversations',
      input: ReadPage,
      output: LinkPage,
    }),
  },
  { audience: 'service' },
);

/** Requests by which the gateway then hands them to mail. */
export const learntLinks = family(
  'mail',
  'learntLinks',
  {
    learn: operation({
      http: 'POST /services/mail/learnt-links',
      summary: 'Learn a page of the calendars of a workspace, and of what is about conversations',
      input: LearnLinkPage,
      output: Done,
      audit: 'readModels.rebuild',
      isAudited: ({ from }) => from === '',
    }),
  },
  { audience: 'service' },
);
