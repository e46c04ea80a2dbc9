import {
  linkPages,
  linksPageMax,
  type LinkBesideMail,
  type VisibleCalendar,
} from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const calendarsAfter = statement<VisibleCalendar>(
  'link_pages.calendars',
  `SELECT id, scope = 'shared' AS "isShared", owner_id AS "ownerId"
   FROM calendars_after($1, $2, $3)`,
);

const linksAfter = statement<LinkBesideMail>(
  'link_pages.links',
  `SELECT id, title, thread_id AS "threadId", calendar_id AS "calendarId",
     sequence::float8 AS sequence
   FROM links_after($1, $2, $3)`,
);

/** After the ids of all calendars, before those of all events and tasks. */
const linksBegin = 'evt_';

/** The calendars of a workspace and what is about conversations, for services that keep some of it. */
export const LinkPagesHandlers = handlers(linkPages, {
  read: async ({ rows }, { after }) => {
    const at = new Date().toISOString();
    if (after < linksBegin) {
      const calendars = await rows(calendarsAfter, [after, linksPageMax]);
      const isFull = calendars.length === linksPageMax;
      return { calendars, links: [], at, after: (isFull && calendars.at(-1)?.id) || linksBegin };
    }
    const links = await rows(linksAfter, [after, linksPageMax]);
    const isFull = links.length === linksPageMax;
    return { calendars: [], links, at, after: (isFull && links.at(-1)?.id) || null };
  },
});
