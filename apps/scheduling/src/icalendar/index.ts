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
export {
  durationMs,
  hasFloatingTime,
  oneOf,
  parseComponent,
  textIn,
  timeIn,
  Unreadable,
  type CalendarTime,
  type Component,
} from './jcal.js';
