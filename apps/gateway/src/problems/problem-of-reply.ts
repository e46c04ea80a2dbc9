import type { ReplyEnvelope } from '@postroom/bus';
import { isProblemCode, Problem, type Violation } from '@postroom/contracts';

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
