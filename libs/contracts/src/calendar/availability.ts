import { WholeList } from '../answers.js';
import { Count, ListOf, Millis, Text, type Violation } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { zoneFaults } from '../recurrence/recurrence.js';
import { WorkingHours } from '../settings/workspace.js';
import { eventMsMax } from './event.js';

/** A window of availability is at most so long. */
const windowMsMax = 62 * 86_400_000;
/** Times in an answer, at most. */
export const timesMax = 5000;

/** A time from a start to an end. */
export class TimeSpan {
  @Millis('Start.')
  startMs!: number;

  @Millis('When it ends.')
  endMs!: number;
}

/** Input of availability. */
export class GetAvailability {
  @Millis('From this moment on.')
  from!: number;

  @Millis('Up to this moment, 62 days later at most.')
  to!: number;

  @Count('Free times are at least so long (milliseconds); half an hour when absent.', {
    min: 60_000,
    max: eventMsMax,
    default: 1_800_000,
  })
  durationMs!: number;

  @Text('Time zone of the working hours (IANA); the workspace’s when absent.', {
    max: 60,
    optional: true,
  })
  timeZone?: string;
}

/** When the member is busy, and free within working hours. */
export class Availability extends WholeList {
  @ListOf(() => TimeSpan, 'Busy, in order and without overlap.', { max: timesMax })
  busy!: TimeSpan[];

  @ListOf(() => TimeSpan, 'Free for that long, within working hours.', { max: timesMax })
  free!: TimeSpan[];
}

function availabilityFaults({ from, to, timeZone }: GetAvailability): readonly Violation[] {
  const window: Violation[] =
    from < to && to - from <= windowMsMax
      ? []
      : [
          {
            field: 'to',
            fault: 'TOO_SMALL',
            message: { fr: 'après from, 62 jours au plus', en: 'after from, by 62 days at most' },
          },
        ];
  return [...window, ...zoneFaults(timeZone)];
}

/** When a member could meet (`decisions.md` §9): the gateway adds the workspace's hours to it. */
export const availability = family(
  'access',
  'availability',
  {
    get: operation({
      http: 'GET /v1/availability',
      scope: 'read:calendar',
      member: true,
      addition: true,
      summary: 'Say when the member is busy, and when free within working hours',
      description: 'Times alone, of the calendars that the member may see: no title appears.',
      input: GetAvailability,
      output: Availability,
      rule: availabilityFaults,
    }),
  },
  { codes: 'calendar' },
);

/** The same with the hours, as scheduling is asked. */
export class FindAvailability extends GetAvailability {
  @ListOf(() => WorkingHours, 'Working hours of the workspace.', { max: 21 })
  workingHours!: WorkingHours[];
}

/** Requests of the gateway to scheduling. */
export const availableTimes = family(
  'scheduling',
  'availableTimes',
  {
    find: operation({
      http: 'GET /services/scheduling/available-times',
      summary: 'Find when a member is busy, and when free within working hours',
      input: FindAvailability,
      output: Availability,
    }),
  },
  { audience: 'service' },
);
