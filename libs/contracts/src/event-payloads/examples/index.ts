import { calendarExamples } from './calendar.js';
import { contactsExamples } from './contacts.js';
import type { EventExamples } from './event-examples.js';
import { messagingExamples } from './messaging.js';
import { tasksExamples } from './tasks.js';
import { testExamples } from './test.js';

/**
 * An example of each event type that has a producer: events of a running product, not made up. A spec
 * holds each to the schema of its type.
 */
export const eventExamples: EventExamples = {
  ...messagingExamples,
  ...contactsExamples,
  ...calendarExamples,
  ...tasksExamples,
  ...testExamples,
};
