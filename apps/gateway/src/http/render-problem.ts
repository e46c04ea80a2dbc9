import { mountPoints, problemFacts, type ErrorStyle, type Problem } from '@postroom/contracts';

/** An error as it is sent. */
export interface RenderedProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

const detailsMax = 20;

/** Controls, format characters and lone surrogates in field names that the caller chose. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The default of `Retry-After`, in seconds. */
const retryAfterSeconds = '2';

/**
 * A problem in the style of an API (`public-api.md` §7, `decisions.md` §1, §9): with a French text, or
 * with a stable code. It shows no internals and no value that the caller sent.
 */
export function renderProblem(
  problem: Problem,
  style: ErrorStyle,
  requestId: string,
): RenderedProblem {
  const { status, fr, en, retryable } = problemFacts(problem.code);
  const settings = style === 'settings';
  const faults = problem.violations.slice(0, detailsMax).map(({ field, message }) => ({
    field: field.replaceAll(unprintable, '\ufffd'),
    message: settings ? message.en : message.fr,
  }));
  const text = explain(settings ? en : fr, faults[0]);
  // A fault of the body as a whole has no field, and is in the sentence alone.
  const details = faults.filter(({ field }) => field !== '');
  return {
    status,
    headers: {
      ...(retryable && status === 503 && { 'retry-after': retryAfterSeconds }),
      ...problem.headers,
    },
    body: {
      ...(settings ? { error: problem.code, message: text } : { error: text }),
      ...problem.fields,
      requestId,
      ...(details.length > 0 && { details }),
    },
  };
}

/** The style of an answer to a request without an operation, by its path. */
export const styleOfPath = (url: string): ErrorStyle =>
  settingsPath.test(url) ? 'settings' : 'text';

const settingsPath = new RegExp(`^${mountPoints.member}(?:[/?]|$)`);

/** The sentence with the first fault, since many callers log nothing else. */
const explain = (text: string, first?: { field: string; message: string }): string =>
  first ? `${text} ${first.field ? `${first.field} : ` : ''}${first.message}.` : text;
