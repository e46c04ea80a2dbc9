import { describe, expect, it } from '@jest/globals';
import { calendarEvents, contacts, conversations, tasks, triage } from '@postroom/contracts';
import { summaryOf } from './summary.js';

const mailbox = 'support@acme.test';
const occurrenceStartMs = Date.UTC(2026, 11, 1, 9);
const labels = (add: readonly string[], remove: readonly string[]) => ({ mailbox, add, remove });

describe('the summary of a write', () => {
  it.each([
    [conversations.archive, { mailbox }, true, `Archive a conversation “X” in ${mailbox}`],
    [
      conversations.comment,
      { mailbox, text: 'Y' },
      true,
      `Add an internal comment to the conversation “X” in ${mailbox}`,
    ],
    [contacts.create, {}, false, 'Create the contact “X”'],
    [contacts.create, {}, true, 'Change the contact “X”'],
    [calendarEvents.remove, { scope: 'this' }, true, 'Delete the event “X”'],
    [
      calendarEvents.remove,
      { occurrenceStartMs, scope: 'this' },
      true,
      'Cancel the occurrence of 2026-12-01 10:00 (Europe/Paris) of the event “X”',
    ],
    [
      calendarEvents.remove,
      { occurrenceStartMs, scope: 'following' },
      true,
      'Cancel all occurrences from 2026-12-01 10:00 (Europe/Paris) on of the event “X”',
    ],
    [
      calendarEvents.update,
      { occurrenceStartMs, scope: 'this' },
      true,
      'Change the occurrence of 2026-12-01 10:00 (Europe/Paris) of the event “X”',
    ],
    [
      tasks.create,
      { task: { title: 'X', dueMs: occurrenceStartMs, timeZone: 'Asia/Tokyo' } },
      false,
      'Create a task “X” due 2026-12-01 18:00 (Asia/Tokyo)',
    ],
    [triage.label, labels(['A'], []), true, `Put labels on a conversation “X” in ${mailbox}`],
    [triage.label, labels([], ['A']), true, `Take labels off a conversation “X” in ${mailbox}`],
    [
      triage.label,
      labels(['A'], ['B']),
      true,
      `Put labels on a conversation and take labels off it “X” in ${mailbox}`,
    ],
  ])('of %s says what it would do', (operation, input, exists, expected) => {
    const write = { operation, input, exists, title: 'X', timeZone: 'Europe/Paris' };
    expect(summaryOf(write)).toBe(expected);
  });
});
