import type { Caller } from '@postroom/access';
import { eventGroups, type EventGroup, type EventType, type Scope } from '@postroom/contracts';

/** What a key must have to be shown the events of a group; null: nobody is shown them. */
const needs: Readonly<Record<EventGroup, { scope: Scope | 'any'; member: boolean } | null>> = {
  messaging: { scope: 'read:conversations', member: false },
  contacts: { scope: 'read:contacts', member: true },
  calendar: { scope: 'read:calendar', member: true },
  tasks: { scope: 'read:tasks', member: true },
  // Of the workspace itself.
  test: { scope: 'any', member: false },
  // No scope covers what they happen to.
  helpdesk: null,
};

/** The event types whose resources the scopes and the member of a key cover. */
export function coveredTypes(caller: Caller, asked?: readonly EventType[]): readonly EventType[] {
  if (caller.type !== 'key') return [];
  const groups = Object.entries(eventGroups) as [EventGroup, readonly EventType[]][];
  const covered = groups.flatMap(([group, types]) => {
    const need = needs[group];
    if (!need || (need.member && !caller.member)) return [];
    return need.scope === 'any' || caller.scopes.includes(need.scope) ? types : [];
  });
  return asked ? covered.filter((type) => asked.includes(type)) : covered;
}
