import {
  eventGroup,
  eventGroups,
  type EventGroup,
  type EventType,
  type Scope,
} from '@postroom/contracts';
import type { Caller } from './caller.js';

/** The rights with which a key reads the events of a group. */
interface EventNeed {
  readonly scope: Scope | 'any';
  readonly member: boolean;
}

/** Null: no key reads them. */
const needs: Readonly<Record<EventGroup, EventNeed | null>> = {
  messaging: { scope: 'read:conversations', member: false },
  contacts: { scope: 'read:contacts', member: true },
  calendar: { scope: 'read:calendar', member: true },
  tasks: { scope: 'read:tasks', member: true },
  // About the workspace itself.
  test: { scope: 'any', member: false },
  // No scope covers their resources.
  helpdesk: null,
};

/** The rights that the events of a type need; null for a type that no key reads. */
export function needOfEvents(type: string): EventNeed | null {
  const group = eventGroup(type);
  return group === undefined ? null : needs[group];
}

/** Every type that a key may be able to read. */
export const readableEventTypes: readonly EventType[] = Object.values(eventGroups)
  .flat()
  .filter((type) => needOfEvents(type) !== null);

/** True if the scopes and the member of a key cover the resources of an event type. */
export function coversEvents(caller: Caller, type: string): boolean {
  const need = needOfEvents(type);
  if (caller.type !== 'key' || !need || (need.member && !caller.member)) return false;
  return need.scope === 'any' || caller.scopes.includes(need.scope);
}
