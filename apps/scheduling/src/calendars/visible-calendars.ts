import { memberOf } from '@postroom/access';
import type { VisibleContainers } from '@postroom/operations';

/** The calendars that are shared, or the member's own; also deleted ones that were. */
export const visibleCalendars: VisibleContainers = async ({ entities, caller }, containers) => {
  const named = containers.filter(({ type }) => type === 'calendar').map(({ id }) => id);
  const found = await entities((manager) =>
    manager.query<{ id: string }[]>(
      `SELECT c.id FROM (SELECT id, scope, owner_id FROM calendars
         UNION ALL SELECT id, scope, owner_id FROM deleted_calendars) c
       WHERE c.id = ANY ($1) AND (c.scope = 'shared' OR c.owner_id = $2)`,
      [named, memberOf(caller)],
    ),
  );
  return found.map(({ id }) => ({ type: 'calendar', id }));
};
