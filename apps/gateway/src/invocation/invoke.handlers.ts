import {
  invocations,
  isMounted,
  operationById,
  Problem,
  ruleOf,
  type InvocationAnswer,
  type InvokeOperation,
  type Operation,
} from '@postroom/contracts';
import { asProblem, handlers, type Reading } from '@postroom/operations';
import { KeyAuthentication, type Authorization } from '../authentication/index.js';
import { RefusedWrites } from '../me/index.js';
import { inputOf } from './asked-input.js';
import { Invoker } from './invoker.js';
import { ToolAudit } from './tool-audit.js';

/** What is left for the way back, so that the answer is there before the caller gives up. */
const wayBackMs = 1_000;

/**
 * The way into the public API for a service that translates another protocol (MCP): a key's call takes the
 * same checks as over HTTP. The service has authenticated nobody by itself: it names a caller that the
 * gateway gave it, whose rights are read again here.
 */
export const InvokeHandlers = handlers(
  invocations,
  [Invoker, KeyAuthentication, RefusedWrites, ToolAudit],
  (invoker, keys, refused, audit) => ({
    invoke: async (context, asked) => {
      const operation = operationFor(asked);
      const authorization = await authorizationOf(keys, context);
      const call = { context, asked, operation, authorization };
      const { answer, problem } = await outcomeOf(invoker, call);
      if (problem) {
        const { requestId } = context;
        await refused.note({ operation, ...authorization, problem, requestId });
      }
      await audit.note({ context, asked, operation, answer });
      return answer;
    },
  }),
);

interface Call {
  readonly context: Reading;
  readonly asked: InvokeOperation;
  readonly operation: Operation;
  readonly authorization: Authorization;
}

/** @throws Error for what is no operation of the public API: the calling service is at fault */
function operationFor({ operation: id }: InvokeOperation): Operation {
  const operation = operationById(id);
  if (!operation || !isMounted(operation) || operation.audience !== 'key')
    throw new Error(`${id} is no operation of the public API`);
  return operation;
}

/** The key as it is now. @throws Problem UNAUTHENTICATED when it has been revoked or has expired */
async function authorizationOf(
  keys: KeyAuthentication,
  { caller }: Reading,
): Promise<Authorization> {
  const found = caller.type === 'key' ? await keys.current(caller.keyId) : null;
  if (found?.caller.tenantId !== caller.tenantId) throw new Problem('UNAUTHENTICATED');
  return { ...found, caller: { ...found.caller, source: 'mcp' } };
}

async function outcomeOf(
  invoker: Invoker,
  { context, asked, operation, authorization }: Call,
): Promise<{ readonly answer: InvocationAnswer; readonly problem?: Problem }> {
  const { idempotencyKey } = asked;
  try {
    const request = { operation, authorization, idempotencyKey };
    invoker.admit(request);
    const { status, headers, body } = await invoker.carryOut({
      ...request,
      input: inputOf(operation, asked, authorization.caller),
      requestId: context.requestId,
      // A redelivery of this call is a redelivery to the service too.
      messageId: context.messageId,
      timeoutMs: Math.min(operation.deadlineMs, context.deadlineMs - Date.now() - wayBackMs),
    });
    const shown = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    return { answer: { status, headers, body: shown, problem: null } };
  } catch (error) {
    const problem = asProblem(error);
    return { answer: refusalOf(problem), problem };
  }
}

function refusalOf(problem: Problem): InvocationAnswer {
  // Told as what it is, and logged: an internal error is no outcome of a call.
  if (problem.code === 'INTERNAL') throw problem;
  const { code, status, headers, violations, fields } = problem;
  return {
    status,
    headers,
    body: null,
    problem: { code, rule: ruleOf(code), violations: [...violations], fields },
  };
}
