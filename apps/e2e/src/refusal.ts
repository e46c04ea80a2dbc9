import type { Answer } from './http.js';
import type { ErrorBody } from './wire.js';

/** Texts that no answer may reveal: stack traces, statements, file names, names of components. */
const inside =
  /\bat .+:\d+:\d+|node_modules|\.[jt]s\b|\bFST_|\bHPE_|\bSELECT\b|\bINSERT\b|syntax error at|Unexpected token|in JSON at|\b(?:fastify|nestjs|typeorm|postgres|class-validator|prototype)\b/i;

/**
 * Throws unless an answer is a refusal in the public form: one of the statuses, `application/json`
 * with `error` and `requestId`, the header of that id, and no internals.
 */
export function assertRefusal(answer: Answer | undefined, statuses: readonly number[]): void {
  if (!answer) throw new Error('No answer.');
  const faults = faultsOf(answer, statuses);
  if (faults.length > 0) {
    const seen = `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text.slice(0, 500)}`;
    throw new Error(`${faults.join('; ')}, in: ${seen}`);
  }
}

function faultsOf(answer: Answer, statuses: readonly number[]): string[] {
  const { error = '', requestId = '' } = bodyOf(answer);
  const faults = {
    [`status is not ${statuses.join(' or ')}`]: !statuses.includes(answer.status),
    'not JSON': !/^application\/json\b/.test(answer.headers['content-type'] ?? ''),
    'shows its inside': inside.test(answer.text),
    'no error text': typeof error !== 'string' || error === '',
    'no request id': !/^[A-Za-z0-9._-]{1,64}$/.test(requestId),
    'header has another request id': answer.headers['x-request-id'] !== requestId,
  };
  return Object.entries(faults).flatMap(([fault, present]) => (present ? [fault] : []));
}

function bodyOf(answer: Answer): Partial<ErrorBody> {
  try {
    return JSON.parse(answer.text) as Partial<ErrorBody>;
  } catch {
    return {};
  }
}
