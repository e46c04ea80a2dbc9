export { durationMs, type CalendarTime } from './calendar-times.js';
export {
  attendeesIn,
  endIn,
  exceptionsIn,
  isOfFollowing,
  occurrenceIn,
  organizerIn,
  requireFitting,
  ruleIn,
  textsIn,
  uidIn,
  type ReadAttendee,
} from './event-parts.js';
export { FileZones } from './file-zones.js';
export { hasFloatingTime, oneOf, parseComponent, textIn, timeIn, type Component } from './jcal.js';
export { Unreadable } from './unreadable.js';
