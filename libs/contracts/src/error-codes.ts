import type { ProblemCode } from './problems.js';

/** The stable codes of a family that answers codes (public-api.md §7). */
export interface ErrorCodes {
  /** The rows of the family's table but the fallback, in its order: of several faults the first is told. */
  readonly own: readonly ProblemCode[];
  /** An input at fault, where the field says nothing more precise. */
  readonly invalid: ProblemCode;
  /** What stands for everything outside the table. */
  readonly fallback: ProblemCode;
}

/** The families that answer codes. */
export const errorCodes = {
  contacts: {
    own: [
      'VALIDATION_FAILED',
      'EMPTY_CONTACT',
      'INVALID_ARGUMENT',
      'FORBIDDEN',
      'BOOK_NOT_FOUND',
      'CONTACT_NOT_FOUND',
      'METHOD_NOT_ALLOWED',
    ],
    invalid: 'INVALID_ARGUMENT',
    fallback: 'CONTACTS_FAILED',
  },
  calendar: {
    own: [
      'TITLE_REQUIRED',
      'INVALID_DATES',
      'END_BEFORE_START',
      'DURATION_TOO_LONG',
      'INVALID_CONFERENCE_LINK',
      'INVALID_ARGUMENT',
      'FORBIDDEN',
      'CALENDAR_SCOPE_FORBIDDEN',
      'CALENDAR_NOT_FOUND',
      'EVENT_NOT_FOUND',
      'METHOD_NOT_ALLOWED',
    ],
    invalid: 'INVALID_ARGUMENT',
    fallback: 'CALENDAR_FAILED',
  },
  tasks: {
    own: [
      'TITLE_REQUIRED',
      'RECURRENCE_NEEDS_DUE',
      'INVALID_ARGUMENT',
      'SOURCE_FORBIDDEN',
      'TASK_NOT_FOUND',
      'METHOD_NOT_ALLOWED',
    ],
    invalid: 'INVALID_ARGUMENT',
    fallback: 'TASKS_FAILED',
  },
} as const satisfies Record<string, ErrorCodes>;

export type CodedFamily = keyof typeof errorCodes;
