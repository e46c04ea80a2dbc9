import type { Caller } from '@postroom/access';
import {
  doneAtHeader,
  isProblemCode,
  Problem,
  problemFacts,
  type InvocationAnswer,
  type InvocationProblem,
  type Violation,
  rpcCodes,
} from '@postroom/contracts';
import { invalidParams, RpcError, type ParameterFault } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';
import type { Tool } from '../tools/index.js';
import {
  untrustedStructure,
  visibleLine,
  visibleValue,
  withTimes,
  type Presented,
} from '../results/index.js';

/** A call that was refused. */
export interface RefusedCall {
  readonly tool: Tool;
  readonly problem: InvocationProblem;
  readonly headers: JsonObject;
  readonly caller: Caller;
}

type Explanation = (call: RefusedCall) => string;

/** Why a key may not, in plain words, by the check that refused. */
const missing: Readonly<Partial<Record<InvocationProblem['rule'], Explanation>>> = {
  scope: ({ tool }) => `The API key lacks the scope ${tool.operation.scope} of ${tool.name}.`,
  kind: ({ tool }) => `An agent’s key may not use ${tool.name}.`,
  member: ({ tool }) =>
    `The API key is not attached to a member of the workspace, which ${tool.name} needs.`,
  mailbox: ({ caller }) => `The API key was not given this mailbox. ${mailboxesOf(caller)}`,
  read_only: ({ caller }) => `The API key may only read this mailbox. ${mailboxesOf(caller)}`,
};

/** Mailboxes that a text names. */
const mailboxesMax = 50;

/** The mailboxes of a key, in words. */
export function mailboxesOf(caller: Caller): string {
  const grants = caller.type === 'key' ? Object.entries(caller.grants) : [];
  if (grants.length === 0) return 'It has none.';
  const named = grants.slice(0, mailboxesMax).map(([address, access]) => `${address} (${access})`);
  const more = grants.length > mailboxesMax ? `, and ${grants.length - mailboxesMax} more` : '';
  return `Its mailboxes: ${named.join(', ')}${more}.`;
}

/** Shapes the result of a write that was filed for approval. */
export type FiledShape = (filed: Result) => object;

interface AnsweredCall {
  readonly tool: Tool;
  readonly caller: Caller;
  readonly paging?: JsonObject;
  readonly filed?: FiledShape | undefined;
}

/**
 * The result of a call by what it was answered.
 * @throws as {@link refusedResult}
 */
export function resultOfCall(
  { problem, headers, status, body }: InvocationAnswer,
  { tool, caller, paging = {}, filed = (result) => result }: AnsweredCall,
): object {
  if (problem) return refusedResult({ tool, problem, headers, caller });
  if (status === 202) return filed(withIgnored(filedResult(body ?? {}, headers), headers));
  return withIgnored(successResult(tool.present(body ?? {}, paging), headers), headers);
}

/**
 * The result of a call that was refused (`decisions.md` §7).
 * @throws RpcError for a missing right and for wrong arguments
 * @throws Problem that HTTP answers: the queue of approvals is full, a service does not answer
 */
export function refusedResult(call: RefusedCall): object {
  const { tool, problem, headers } = call;
  const { rule, violations, fields } = problem;
  const code = isProblemCode(problem.code) ? problem.code : 'INTERNAL';
  const explain = missing[rule];
  if (explain) throw notAuthorized(tool, rule, explain(call));
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

/** Arguments that are not valid: a model can put them right. */
class WrongArguments extends RpcError {
  constructor(
    message: string,
    readonly details: readonly ParameterFault[],
  ) {
    super(rpcCodes.invalidParams, message, { details: [...details] });
  }
}

/**
 * Wrong arguments as revision 2026-07-28 answers them: a result, which the host shows its model (SEP-1303).
 * @throws any other error as it is
 */
export function wrongArgumentsResult(error: unknown): Result {
  if (!(error instanceof WrongArguments)) throw error;
  const { message, details } = error;
  const others = details.slice(1).map((fault) => `${fault.field}: ${fault.message}.`);
  return errorResult([message, ...others].join(' '), {
    error: { code: 'INVALID_REQUEST', status: 400, message, details: [...details] },
  });
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
  const [first, ...others] = problem.violations.map(({ field, message, ...violation }) => ({
    field: argumentAt(tool, field),
    code: (violation as Partial<Violation>).fault ?? 'MALFORMED',
    message: message.en,
  }));
  if (!first) return invalidParams(summary);
  const where = first.field === wholeArguments ? '' : `${first.field}: `;
  const known = first.code === 'UNKNOWN_FIELD' ? ` ${argumentsThatFit(tool)}` : '';
  return new WrongArguments(
    `The arguments of ${tool.name} are not valid. ${where}${first.message}.${known}`,
    [first, ...others],
  );
}

const argumentsThatFit = ({ definition }: Tool): string =>
  `It takes ${Object.keys(definition.inputSchema['properties'] as JsonObject).join(', ')}.`;

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
  [{ field: '_meta.idempotencyKey', code: 'MALFORMED', message: keyForm }],
);

const content = (text: string) => [{ type: 'text', text }];

export interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: JsonObject;
  readonly isError: boolean;
  readonly _meta?: JsonObject;
}

/** The result of a call that was done, now or, as a repeated call is told, before. */
export function successResult({ text, structured, meta }: Presented, headers: JsonObject): Result {
  const outcome = headers['x-svc-idempotency'];
  const doneAt = headers[doneAtHeader];
  const all = {
    ...meta,
    ...(typeof outcome === 'string' && { 'postroom/idempotency': outcome }),
  };
  const before =
    typeof doneAt === 'string' ? `The call was done at ${doneAt}; nothing was written now.\n` : '';
  return {
    content: content(before + text),
    structuredContent: structured,
    isError: false,
    ...(Object.keys(all).length > 0 && { _meta: all }),
  };
}

/** Says which arguments were ignored, in the text too: a model would think that they were written. */
export function withIgnored(result: Result, headers: JsonObject): Result {
  const header = headers['x-svc-ignored'];
  if (typeof header !== 'string') return result;
  const ignored = header.split(', ').map((name) => visibleLine(decodeURIComponent(name), 80));
  const [first, ...rest] = result.content;
  const told = `Ignored, since there are no such fields: ${ignored.join(', ')}.\n`;
  return {
    ...result,
    content: [{ type: 'text', text: told + (first?.text ?? '') }, ...rest],
    structuredContent: { ...result.structuredContent, ignored },
  };
}

/** The result of a write that waits for a person. */
export function filedResult(body: JsonObject, headers: JsonObject = {}): Result {
  const approval = withTimes(visibleValue(body['approval'])) as JsonObject;
  const { id, expiresAt } = approval;
  const isRepeat = headers['x-svc-idempotency'] === 'hit';
  const text =
    `${isRepeat ? 'Still waiting' : 'Filed'} for review as ${String(id)}: nothing has been written. A person of ` +
    `the workspace decides until ${String(expiresAt)}. Tell the user so. Do not try again with other arguments: ` +
    'the very same call, later, answers how the review stands or what was written.';
  return {
    content: content(text),
    // The approval has the values that would be overwritten, which may be a stranger's.
    structuredContent: { approvalRequired: true, approval },
    isError: false,
    _meta: untrustedStructure,
  };
}

/** The result of a call that the operation refused. */
export function errorResult(text: string, structured: JsonObject): Result {
  return { content: content(text), structuredContent: structured, isError: true };
}

/** The result of a write whose approval has ended without it. */
export function closedResult(approval: unknown): Result | null {
  if (!isRecord(approval)) return null;
  const shown = withTimes(visibleValue(approval)) as JsonObject;
  const { state, decidedBy, comment } = shown;
  const by = typeof decidedBy === 'string' ? ` (${decidedBy})` : '';
  const says = typeof comment === 'string' && comment !== '' ? `, saying: ${comment}` : '.';
  const next =
    state === 'rejected'
      ? 'Do not file it again: a person has refused it.'
      : 'If it is still wanted, the same call files it anew.';
  const text = [
    `Nothing was written: the review of this call ended as ${String(state)}${by}${says}`,
    ...reasonOf(shown),
    next,
  ].join(' ');
  return {
    ...errorResult(text, { approval: shown, error: { code: 'APPROVAL_CLOSED' } }),
    _meta: untrustedStructure,
  };
}

const reasons: Readonly<Record<string, string>> = {
  expired: 'Nobody decided in time.',
  cancelled: 'It was withdrawn, or the key that filed it was revoked.',
};

/** Why an approval ended as it did: by its state, or the refusal of the write. */
function reasonOf({ state, result }: JsonObject): readonly string[] {
  const body = isRecord(result) ? result['body'] : undefined;
  const code = isRecord(body) ? body['code'] : undefined;
  if (typeof code === 'string')
    return [`Reason: ${code}. ${isProblemCode(code) ? problemFacts(code).en : ''}`.trim()];
  const reason = reasons[String(state)];
  return reason === undefined ? [] : [reason];
}
