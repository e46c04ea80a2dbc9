import { isProblemCode, Problem, problemFacts, type InvocationProblem } from '@postroom/contracts';
import { invalidParams, RpcError, rpcCodes } from '../json-rpc/index.js';
import type { Tool } from '../tools/index.js';
import { closedResult, errorResult } from './tool-results.js';

/** Why a key may not, in plain words, by the check that refused. */
const missing: Readonly<Partial<Record<InvocationProblem['rule'], (tool: Tool) => string>>> = {
  scope: ({ name, operation }) => `The API key lacks the scope ${operation.scope} of ${name}.`,
  kind: ({ name }) => `An agent’s key may not use ${name}.`,
  member: ({ name }) =>
    `The API key is not attached to a member of the workspace, which ${name} needs.`,
  mailbox: () => 'The API key was not given this mailbox.',
  read_only: () => 'The API key may only read this mailbox.',
};

/**
 * The result of a call that was refused (`decisions.md` §7).
 * @throws RpcError for a missing right and for wrong arguments
 * @throws Problem that HTTP answers, when a service does not answer
 */
export function refusedResult(tool: Tool, problem: InvocationProblem): object {
  const { code, rule, violations, fields } = problem;
  const explain = missing[rule];
  if (explain) throw notAuthorized(tool, rule, explain(tool));
  if (rule === 'input' || rule === 'idempotency_key') throw wrongArguments(tool, problem);
  const facts = problemFacts(isProblemCode(code) ? code : 'INTERNAL');
  if (facts.status === 503) throw new Problem('SERVICE_UNAVAILABLE');
  return (
    closedResult(code === 'APPROVAL_CLOSED' ? fields['approval'] : null) ??
    errorResult([facts.en, ...violations.map(({ message }) => message.en)].join(' '), {
      error: { code, status: facts.status, message: facts.en, ...fields },
    })
  );
}

const notAuthorized = (tool: Tool, reason: string, message: string): RpcError =>
  new RpcError(rpcCodes.notAuthorized, message, {
    reason,
    requiredScope: tool.operation.scope,
    tool: tool.name,
  });

function wrongArguments(tool: Tool, { code, violations }: InvocationProblem): RpcError {
  if (violations.length === 0) {
    const facts = problemFacts(isProblemCode(code) ? code : 'INVALID_REQUEST');
    return invalidParams(facts.en);
  }
  const argumentOf = new Map(
    Object.entries(tool.renamed ?? {}).map(([argument, field]) => [field, argument]),
  );
  const details = violations.map(({ field, message }) => ({
    field: argumentOf.get(field) ?? field,
    message: message.en,
  }));
  const [first] = details;
  return invalidParams(
    `The arguments of ${tool.name} are not valid. ${first?.field ?? ''}: ${first?.message ?? ''}.`,
    details,
  );
}
