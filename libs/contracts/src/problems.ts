import type { Violation } from './fields/index.js';
import { approvalProblems } from './problems/approvals.js';
import { calendarProblems } from './problems/calendar.js';
import { checkProblems } from './problems/checks.js';
import { contactProblems } from './problems/contacts.js';
import { mailProblems } from './problems/mail.js';
import type { ProblemFacts } from './problems/problem-facts.js';
import { sendProblems } from './problems/sends.js';
import { settingsProblems } from './problems/settings.js';
import { taskProblems } from './problems/tasks.js';
import { webhookProblems } from './problems/webhooks.js';

/** Everything that the product refuses, once: code, status, texts. */
export const problems = {
  ...checkProblems,
  ...mailProblems,
  ...sendProblems,
  ...settingsProblems,
  ...approvalProblems,
  ...contactProblems,
  ...calendarProblems,
  ...taskProblems,
  ...webhookProblems,
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
  /** What its body says beside the error, where the contract names fields. */
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
export const invalidField = (field: string, fr: string, en: string): Problem =>
  new Problem('INVALID_REQUEST', { violations: [{ field, message: { fr, en } }] });
