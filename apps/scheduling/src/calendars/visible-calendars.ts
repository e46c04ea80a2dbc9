import { memberOf } from '@postroom/access';
import type { VisibleContainers } from '@postroom/operations';

/** The calendars that are shared, or the member's own. */
export const visibleCalendars: VisibleContainers = async ({ entities, caller }, containers) => {
  const named = containers.filter(({ type }) => type === 'calendar').map(({ id }) => id);
  const found = await entities((manager) =>
    manager.query<{ id: string }[]>(
      `SELECT id FROM calendars WHERE id = ANY ($1) AND (scope = 'shared' OR owner_id = $2)`,
      [named, memberOf(caller)],
    ),
  );
  return found.map(({ id }) => ({ type: 'calendar', id }));
};
