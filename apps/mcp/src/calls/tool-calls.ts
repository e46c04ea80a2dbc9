import { waitsForApproval } from '@postroom/access';
import { invocations, isProblemCode, Problem, type InvocationAnswer } from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import type { JsonObject } from '../json-rpc/index.js';
import type { Tool } from '../tools/index.js';
import { argumentsOf, type GivenArguments } from './arguments.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { refusedResult } from './refusals.js';
import { filedResult, successResult } from './tool-results.js';

/** A call of a tool, as its request says it. */
export interface AskedCall {
  readonly context: Reading;
  readonly params: JsonObject;
  /** Of the HTTP request. */
  readonly idempotencyKey: string | undefined;
}

/** What is left for the way back to the gateway. */
const wayBackMs = 500;

/**
 * Calls of tools: each goes through the gateway, which checks, files for approval and audits it as it
 * does a request over HTTP.
 */
export class ToolCalls {
  constructor(private readonly client: OperationClient) {}

  /**
   * @throws RpcError for what the key may not do, or what the arguments lack
   * @throws Problem UNAUTHENTICATED, or that a service does not answer
   */
  async call(tool: Tool, asked: AskedCall): Promise<object> {
    const given = argumentsOf(tool, asked.params['arguments']);
    const answer = await this.invoke(tool, asked, given);
    if (answer.problem) return refusedResult(tool, answer.problem);
    const body = answer.body ?? {};
    if (answer.status === 202) return filedResult(body);
    return successResult(tool.present(body, given.paging), answer.headers);
  }

  private async invoke(
    tool: Tool,
    { context, params, idempotencyKey: ofRequest }: AskedCall,
    { input, faults, reaching, canonical }: GivenArguments,
  ): Promise<InvocationAnswer> {
    const { caller, requestId, deadlineMs } = context;
    const { operation, name } = tool;
    const derive = operation.effect !== 'read' && waitsForApproval(caller);
    const idempotencyKey = idempotencyKeyOf({
      params,
      ofRequest,
      derivedFrom: derive ? [caller.keyId, name, canonical] : null,
    });
    const invocation = {
      operation: operation.id,
      tool: name,
      input,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(reaching && { reaching }),
      ...(faults.length > 0 && { faults: [...faults] }),
    };
    const timeoutMs = deadlineMs - Date.now() - wayBackMs;
    const options = { requestId, timeoutMs };
    const reply = await this.client.call(invocations.invoke, caller, invocation, options);
    if (reply.problem !== null) {
      throw new Problem(isProblemCode(reply.problem) ? reply.problem : 'INTERNAL');
    }
    return JSON.parse(reply.body.toString()) as InvocationAnswer;
  }
}
