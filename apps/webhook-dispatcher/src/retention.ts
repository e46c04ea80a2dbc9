import { timeOfId } from '@postroom/contracts';
import type { MaintenanceJob } from '@postroom/operations';

export const dayMs = 24 * 3_600_000;
/** Slots of the rings of partitions, as the migration creates them. */
const daySlots = 16;
const weekSlots = 10;

/** The partitions in which an event (day) and its deliveries (week) are kept. */
export interface Slots {
  readonly day: number;
  readonly week: number;
}

/**
 * The slots of an event by the time in its id, so that a repeat finds the row that exists. An id whose time
 * is far from now (from an outbox without a broker for days, or a wrong clock) has today's: its own slot
 * may be emptied soon, or hold other days.
 */
export function slotsOf(eventId: string, nowMs = Date.now()): Slots {
  const madeMs = timeOfId(eventId);
  const isNear = madeMs > nowMs - 7 * dayMs && madeMs < nowMs + dayMs;
  const day = Math.floor((isNear ? madeMs : nowMs) / dayMs);
  return { day: day % daySlots, week: Math.floor(day / 7) % weekSlots };
}

/** The days for which events and the history of deliveries are kept. */
export interface Retention {
  readonly eventDays: number;
  readonly historyDays: number;
}

/** Empties the slots of days past the retention, and ends deliveries whose subscription is gone. */
export const retentionJobs = ({ eventDays, historyDays }: Retention): readonly MaintenanceJob[] => [
  // A maintenance job has no parameters, so the numbers are part of its text, and of its name.
  {
    name: `webhooks.empty_events_${eventDays}`,
    text: `SELECT empty_events(${eventDays}) AS purged`,
  },
  {
    name: `webhooks.empty_history_${historyDays}`,
    text: `SELECT empty_history(${historyDays}) AS purged`,
  },
  { name: 'webhooks.end_abandoned', text: 'SELECT end_abandoned() AS purged' },
];
