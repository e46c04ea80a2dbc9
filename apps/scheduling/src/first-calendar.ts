import { newId, systemActor } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import type { Database } from '@postroom/persistence';
import { countCalendars, insertCalendar } from './stored-calendars.js';

/** The member who owns it. */
export interface CalendarOwner {
  readonly id: string;
  readonly email: string;
}

/** Makes the shared calendar that a workspace begins with, unless its owner sees one. */
export function makeFirstCalendar(
  database: Database,
  tenantId: string,
  owner: CalendarOwner,
): Promise<void> {
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  return new UnitOfWork(database).change(origin, null, async (changing) => {
    const member = { ...owner, isAdmin: true };
    const isFirst = (await countCalendars(changing, member)) === 0;
    const calendar = { id: newId('cal'), name: 'Team', color: null, scope: 'shared' } as const;
    if (isFirst) await insertCalendar(changing, member, calendar);
    return { value: undefined };
  });
}
