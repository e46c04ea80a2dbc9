import type { FaultCode } from './fields/fault-code.js';
import type { Violation } from './fields/faults.js';
import { checkProblems, type ProblemFacts } from './problems/checks.js';
import { contactProblems } from './problems/contacts.js';
import { mailProblems } from './problems/mail.js';
import { schedulingProblems } from './problems/scheduling.js';
import { settingsProblems } from './problems/settings.js';

/** Everything that the product refuses, once: code, status, texts. */
export const problems = {
  ...checkProblems,
  ...mailProblems,
  ...settingsProblems,
  ...contactProblems,
  ...schedulingProblems,
} as const satisfies Record<string, ProblemFacts>;

export type ProblemCode = keyof typeof problems;

export const problemFacts = (code: ProblemCode): ProblemFacts => problems[code];

export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);

/** A refusal of the catalogue: what handlers and checks throw, and the only error a caller is told of. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** Fields at fault (400). */
  readonly violations: readonly Violation[];
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of its body beside the error, where the contract names them. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ProblemCode,
    detail: {
      readonly violations?: readonly Violation[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, { cause: detail.cause });
    this.violations = detail.violations ?? [];
    this.headers = detail.headers ?? {};
    this.fields = detail.fields ?? {};
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** A 400 that names the one field at fault. */
export const invalidField = (
  field: string,
  fr: string,
  en: string,
  fault: FaultCode = 'MALFORMED',
): Problem =>
  new Problem('INVALID_REQUEST', { violations: [{ field, fault, message: { fr, en } }] });

/** The stable codes of a family that answers codes (public-api.md §7). */
export interface ErrorCodes {
  /** The rows of the family's table but the fallback, in its order: of several faults the first is told. */
  readonly own: readonly ProblemCode[];
  /** An input at fault, where the field says nothing more precise. */
  readonly invalid: ProblemCode;
  /** The code for everything outside the table. */
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
