import { Done } from '../answers.js';
import { Count, Flag, Id, ListOf, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { ReadPage, RebuiltPage } from './read-models.js';

/** Calendars or links of a page, at most. */
export const linksPageMax = 500;

/** Who may see a calendar. */
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

/** What the gateway asks of scheduling when links of conversations are rebuilt. */
export const linkPages = family(
  'scheduling',
  'linkPages',
  {
    read: operation({
      http: 'GET /services/scheduling/link-pages',
      effect: 'read',
      summary: 'Read a page of the calendars of a workspace, and of what is about conversations',
      input: ReadPage,
      output: LinkPage,
    }),
  },
  { audience: 'service' },
);

/** What the gateway then hands to mail. */
export const learntLinks = family(
  'mail',
  'learntLinks',
  {
    learn: operation({
      http: 'POST /services/mail/learnt-links',
      effect: 'write',
      summary: 'Learn a page of the calendars of a workspace, and of what is about conversations',
      input: LearnLinkPage,
      output: Done,
      audit: 'readModels.rebuild',
    }),
  },
  { audience: 'service' },
);
