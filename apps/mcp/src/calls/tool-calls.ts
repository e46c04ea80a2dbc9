import { waitsForApproval } from '@postroom/access';
import {
  invocations,
  isProblemCode,
  Problem,
  type HandleMcpMessage,
  type Introduction,
  type InvocationAnswer,
} from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import type { JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';
import type { Tool } from '../tools/index.js';
import { argumentsOf, type GivenArguments } from './arguments.js';
import { clientNameOf, idempotencyKeyOf } from './call-meta.js';
import { filedResult, refusedResult, successResult, withIgnored } from './tool-results.js';

/** A call of a tool, as its request says it. */
export interface AskedCall {
  readonly context: Reading;
  readonly params: JsonObject;
  readonly message: Pick<HandleMcpMessage, 'idempotencyKey' | 'userAgent'>;
}

/** Length of an unknown tool's name in the audit. */
const nameCharactersMax = 90;

/** A name that no tool has, as the audit shows it: without blanks, since what follows one is a scope. */
const unknownName = (name: unknown): string =>
  (typeof name === 'string' && visibleLine(name, nameCharactersMax).replaceAll(' ', '_')) ||
  'unnamed';

/** The audited subject of a call: a tool and its scope, or the unknown name. */
export const subjectOfCall = (name: unknown, tool: Tool | undefined): string =>
  tool ? `${tool.name} ${tool.operation.scope}` : unknownName(name);

/** Time reserved for the way back to the gateway. */
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
    const { problem, headers, status, body } = await this.invoke(tool, asked, given);
    if (problem) return refusedResult({ tool, problem, headers, caller: asked.context.caller });
    const result =
      status === 202
        ? filedResult(body ?? {}, headers)
        : successResult(tool.present(body ?? {}, given.paging), headers);
    return withIgnored(result, headers);
  }

  /** Asks for the facts of the workspace that an agent needs first. @throws Problem that the service answered */
  async introduction({ caller, requestId }: Reading): Promise<Introduction> {
    const reply = await this.client.call(invocations.introduce, caller, {}, { requestId });
    throwProblemOf(reply);
    return JSON.parse(reply.body.toString()) as Introduction;
  }

  /** Has the audit say that a tool was called, and nothing was carried out. */
  async recordRefused(subject: string, { caller, requestId }: Reading): Promise<void> {
    const asked = { tool: subject };
    const reply = await this.client.call(invocations.recordRefused, caller, asked, { requestId });
    throwProblemOf(reply);
  }

  private async invoke(
    tool: Tool,
    { context, params, message }: AskedCall,
    { input, faults, reaching, canonical }: GivenArguments,
  ): Promise<InvocationAnswer> {
    const { caller, requestId, deadlineMs } = context;
    const { operation, name } = tool;
    const derive = operation.effect !== 'read' && waitsForApproval(caller);
    const idempotencyKey = idempotencyKeyOf({
      params,
      ofRequest: message.idempotencyKey,
      derivedFrom: derive ? [caller.keyId, name, canonical] : null,
    });
    const client = clientNameOf(params, message.userAgent);
    const invocation = {
      operation: operation.id,
      tool: name,
      input,
      ...(idempotencyKey && {
        idempotencyKey: idempotencyKey.value,
        ...(idempotencyKey.isDerived && { keyIsDerived: true }),
      }),
      ...(client !== undefined && { client }),
      ...(reaching && { reaching }),
      ...(faults.length > 0 && { faults: [...faults] }),
    };
    const timeoutMs = deadlineMs - Date.now() - wayBackMs;
    const options = { requestId, timeoutMs };
    const reply = await this.client.call(invocations.invoke, caller, invocation, options);
    throwProblemOf(reply);
    return JSON.parse(reply.body.toString()) as InvocationAnswer;
  }
}

function throwProblemOf({ problem }: { readonly problem: string | null }): void {
  if (problem !== null) throw new Problem(isProblemCode(problem) ? problem : 'INTERNAL');
}
