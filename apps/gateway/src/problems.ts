import type { ReplyEnvelope } from '@postroom/bus';
import {
  codedRefusal,
  isProblemCode,
  mountPoints,
  ownText,
  Problem,
  problemFacts,
  table,
  type CodedRefusal,
  type Operation,
  type ProblemCode,
  type Violation,
} from '@postroom/contracts';

/** The operation that is answered, as far as errors go. */
interface Answering extends Pick<Operation, 'errors' | 'codes' | 'problems' | 'scope'> {
  /** True for the path of a family that has codes, though of no operation: a method may be refused there. */
  readonly refusesMethodsByCode?: boolean;
}

/** An error as it is sent. */
interface RenderedProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Languages of the texts. */
export type Language = 'fr' | 'en';

/** The request that is answered. */
interface Answered {
  readonly requestId: string;
  readonly language?: Language;
}

const detailsMax = 20;

/** Controls, format characters and lone surrogates in field names that the caller chose. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The default of `Retry-After`, in seconds. */
const retryAfterSeconds = '2';

/**
 * A problem in the style of an API (`public-api.md` §7, `decisions.md` §1, §2, §9): with a text, or with a stable
 * code. It shows no internals and no value that the caller sent.
 */
export function renderProblem(
  problem: Problem,
  answering: Answering,
  { requestId, language = 'fr' }: Answered,
): RenderedProblem {
  const { status, ...texts } = problemFacts(problem.code);
  const spoken = answering.errors === 'settings' ? 'en' : language;
  const coded = codedRefusal(answering, problem);
  const faults = problem.violations.slice(0, detailsMax).map((violation) => ({
    field: violation.field.replaceAll(unprintable, '\ufffd'),
    code: violation.fault ?? 'MALFORMED',
    message: violation.message[spoken],
  }));
  const text = explain(texts[spoken], faults[0], spoken);
  // A fault of the body as a whole has no field, and is in the sentence alone.
  const details = faults.filter(({ field }) => field !== '');
  return {
    status,
    headers: {
      ...(status === 401 && answering.errors !== 'settings' && bearerExpected),
      ...(status === 503 && { 'retry-after': retryAfterSeconds }),
      ...problem.headers,
    },
    body: {
      ...errorOf(problem, answering, coded, text),
      ...(problem.code === 'SCOPE_MISSING' &&
        answering.scope !== null && { requiredScope: answering.scope }),
      ...problem.fields,
      requestId,
      ...(details.length > 0 && { details }),
    },
  };
}

/** RFC 9110 §11.6.1; the same for every cause. */
const bearerExpected = { 'www-authenticate': 'Bearer' } as const;

/** The error style of a request without an operation, by its path. */
export const answeringPath = (url: string): Answering => ({
  errors: settingsPath.test(url) ? 'settings' : 'text',
  codes: null,
  problems: [],
  scope: null,
  refusesMethodsByCode: !isRaw(url.split('?', 1)[0] ?? ''),
});

/** True for an operation with a protocol of its own (`public-api.md` §7, MCP: a French text). */
const isRaw = (path: string): boolean =>
  table.some(
    (operation) =>
      ownText(operation.request) !== null &&
      path === mountPoints[operation.audience] + operation.path,
  );

const settingsPath = new RegExp(`^${mountPoints.member}(?:[/?]|$)`);

/** The field `error`, and the fields beside it. */
function errorOf(
  { code }: Problem,
  { errors, refusesMethodsByCode = false }: Answering,
  coded: CodedRefusal | null,
  text: string,
): object {
  if (errors === 'settings') return settingsError(code, coded, text);
  if (errors === 'codes' && coded) return { ...coded, code: coded.code ?? coded.error };
  return { error: code === 'METHOD_NOT_ALLOWED' && refusesMethodsByCode ? code : text, code };
}

const settingsError = (code: ProblemCode, coded: CodedRefusal | null, message: string) => ({
  error: code === 'INVALID_REQUEST' ? (coded?.error ?? code) : code,
  message,
});

/** The sentence with the first fault, since many callers log nothing else. */
const explain = (
  text: string,
  first: { field: string; message: string } | undefined,
  language: Language,
): string => {
  if (!first) return text;
  const colon = language === 'fr' ? ' : ' : ': ';
  return `${text} ${first.field && `${first.field}${colon}`}${first.message}.`;
};

/** The body of a reply that refuses. */
interface Refusal {
  readonly violations: readonly Violation[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The problem that a service replied with; one that is not in the catalogue is an internal error. */
export function problemOf({ problem, body, headers }: ReplyEnvelope): Problem {
  const { violations, fields = {} } = JSON.parse(body.toString()) as Refusal;
  return new Problem(problem !== null && isProblemCode(problem) ? problem : 'INTERNAL', {
    violations,
    fields,
    headers: headers as Record<string, string>,
  });
}

/** @throws Problem that the service replied with */
export function requireSuccess(reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem === null) return reply;
  throw problemOf(reply);
}
