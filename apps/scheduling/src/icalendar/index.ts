export { remindersIn } from './alarms.js';
export { calendarText, tidyLines } from './calendar-text.js';
export {
  additionsIn,
  attendeesIn,
  conferenceIn,
  endIn,
  exceptionsIn,
  isBusy,
  isOfFollowing,
  isPrivate,
  keptEndIn,
  occurrenceIn,
  onceOnly,
  organizerIn,
  ruleIn,
  senderFor,
  textsIn,
  uidIn,
  type ReadAttendee,
  type Tell,
} from './event-parts.js';
export { FileZones } from './file-zones.js';
export {
  allOf,
  oneOf,
  parseComponent,
  textIn,
  timeIn,
  Unreadable,
  type CalendarTime,
  type Component,
} from './jcal.js';
export { changeBetween } from './known-clocks.js';
export { occurrenceNamed } from './occurrence-name.js';
export { zoneNamed } from './zone-names.js';
