import { isProblemCode, Problem, problemFacts, type InvocationProblem } from '@postroom/contracts';
import { invalidParams, rpcCodes, RpcError } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';
import type { Tool } from '../tools/index.js';
import { untrustedStructure, visibleValue, type Presented } from '../results/index.js';

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
 * @throws Problem that HTTP answers: the queue of approvals is full, a service does not answer
 */
export function refusedResult(tool: Tool, problem: InvocationProblem, headers: JsonObject): object {
  const { rule, violations, fields } = problem;
  const code = isProblemCode(problem.code) ? problem.code : 'INTERNAL';
  const explain = missing[rule];
  if (explain) throw notAuthorized(tool, rule, explain(tool));
  const facts = problemFacts(code);
  if (facts.status === 400) throw wrongArguments(tool, problem, facts.en);
  if (facts.status === 429 || facts.status === 503) {
    throw new Problem(code, { headers: headers as Readonly<Record<string, string>> });
  }
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

/** @param summary what is wrong, where no argument is at fault by itself */
function wrongArguments(tool: Tool, problem: InvocationProblem, summary: string): RpcError {
  if (problem.code === 'IDEMPOTENCY_KEY_MALFORMED') return malformedKey;
  const [first, ...others] = problem.violations.map(({ field, message }) => ({
    field: argumentAt(tool, field),
    message: message.en,
  }));
  if (!first) return invalidParams(summary);
  const where = first.field === wholeArguments ? '' : `${first.field}: `;
  return invalidParams(`The arguments of ${tool.name} are not valid. ${where}${first.message}.`, [
    first,
    ...others,
  ]);
}

/** The field name of the arguments as a whole, as in the parameters of a call. */
const wholeArguments = 'arguments';

/** The name of a faulty field in the call. */
function argumentAt({ renamed = {} }: Tool, field: string): string {
  if (field === '') return wholeArguments;
  // Found before they were renamed: there the operation's own name is an unknown argument.
  if (field.startsWith(`${wholeArguments}.`)) return field.slice(wholeArguments.length + 1);
  return Object.entries(renamed).find(([, renamedTo]) => renamedTo === field)?.[0] ?? field;
}

const keyForm = 'expected 8 to 200 printable ASCII characters';
const malformedKey = invalidParams(
  `The Idempotency-Key of the call (\`_meta.idempotencyKey\`, or the header) is not valid: ${keyForm}.`,
  [{ field: '_meta.idempotencyKey', message: keyForm }],
);

const content = (text: string) => [{ type: 'text', text }];

/** The result of a call that was done. */
export function successResult({ text, structured, meta }: Presented, headers: JsonObject): object {
  const outcome = headers['x-svc-idempotency'];
  const all = {
    ...meta,
    ...(typeof outcome === 'string' && { 'postroom/idempotency': outcome }),
  };
  return {
    content: content(text),
    structuredContent: structured,
    isError: false,
    ...(Object.keys(all).length > 0 && { _meta: all }),
  };
}

/** The result of a write that waits for a person. */
export function filedResult(body: JsonObject): object {
  const approval = visibleValue(body['approval']) as JsonObject;
  const text =
    `Filed for review as ${String(approval['id'])}: nothing has been written. A person of the workspace decides ` +
    `until ${String(approval['expiresAt'])}. Tell the user so. Do not try again with other arguments: the very ` +
    'same call, later, answers how the review stands or what was written.';
  return {
    content: content(text),
    // The approval has the values that would be overwritten, which may be a stranger's.
    structuredContent: { approvalRequired: true, approval },
    isError: false,
    _meta: untrustedStructure,
  };
}

/** The result of a call that the operation refused. */
export function errorResult(text: string, structured: JsonObject): object {
  return { content: content(text), structuredContent: structured, isError: true };
}

/** The result of a write whose approval has ended. */
export function closedResult(approval: unknown): object | null {
  if (!isRecord(approval)) return null;
  const shown = visibleValue(approval) as JsonObject;
  const { state, decidedBy, comment } = shown;
  const by = typeof decidedBy === 'string' ? ` (${decidedBy})` : '';
  const says = typeof comment === 'string' && comment !== '' ? `, saying: ${comment}` : '.';
  const text = `Nothing was written: the review of this call ended as ${String(state)}${by}${says}`;
  return {
    ...errorResult(text, { approval: shown, error: { code: 'APPROVAL_CLOSED' } }),
    _meta: untrustedStructure,
  };
}
