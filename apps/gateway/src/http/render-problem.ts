import { mountPoints, problemFacts, type ErrorStyle, type Problem } from '@postroom/contracts';

/** An error as it is sent. */
export interface RenderedProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

const detailsMax = 20;

/** Of a name that the caller made up: controls, what turns or hides text, and halves of characters. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** How long to wait before a retry when nothing better is known, seconds. */
const retryAfterSeconds = '2';

/**
 * A refusal as a surface says it (`public-api.md` §7, `decisions.md` §1, §9): a French text, or a
 * stable code; never anything of how the service works inside, never a value the caller sent.
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
  // What is wrong with a body as a whole is in the sentence alone.
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

/** The style of what is no operation, or of no family with codes of its own: by its address alone. */
export const styleOfPath = (url: string): ErrorStyle =>
  settingsPath.test(url) ? 'settings' : 'text';

const settingsPath = new RegExp(`^${mountPoints.member}(?:[/?]|$)`);

/** The sentence, and the first thing that is wrong: many callers log nothing else. */
const explain = (text: string, first?: { field: string; message: string }): string =>
  first ? `${text} ${first.field ? `${first.field} : ` : ''}${first.message}.` : text;
