import { waitsForApproval } from '@postroom/access';
import {
  invocations,
  isProblemCode,
  Problem,
  type FiledCall,
  type HandleMcpMessage,
  type Introduction,
  type InvocationAnswer,
  type InvokeOperation,
} from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import type { JsonObject } from '../json.js';
import { visibleLine } from '../results/index.js';
import type { Tool } from '../tools/index.js';
import { argumentsOf, type GivenArguments } from './arguments.js';
import { clientNameOf, idempotencyKeyOf } from './call-meta.js';
import { resultOfCall, type FiledShape } from './tool-results.js';

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

/** Has the gateway make a call in the name of the caller's key. @throws Problem that the gateway itself answered */
export async function invoked(
  client: OperationClient,
  { caller, requestId, deadlineMs }: Reading,
  call: Partial<InvokeOperation>,
): Promise<InvocationAnswer> {
  const options = { requestId, timeoutMs: deadlineMs - Date.now() - wayBackMs };
  const reply = await client.call(invocations.invoke, caller, call, options);
  throwProblemOf(reply);
  return JSON.parse(reply.body.toString()) as InvocationAnswer;
}

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
  async call(tool: Tool, asked: AskedCall, filed?: FiledShape): Promise<object> {
    const given = argumentsOf(tool, asked.params['arguments']);
    const answer = await this.invoke(tool, asked, given);
    const { caller } = asked.context;
    return resultOfCall(answer, { tool, caller, paging: given.paging, filed });
  }

  /** A call that the key has filed for approval, as it stands; null where it has filed none of that id. */
  async filedCall(id: string, { caller, requestId }: Reading): Promise<FiledCall | null> {
    const reply = await this.client.call(invocations.filedCall, caller, { id }, { requestId });
    return isUnknown(reply) ? null : (JSON.parse(reply.body.toString()) as FiledCall);
  }

  /** Withdraws one, unless it was decided already; false where the key has filed none of that id. */
  async withdraw(id: string, { caller, requestId }: Reading): Promise<boolean> {
    const reply = await this.client.call(invocations.withdraw, caller, { id }, { requestId });
    return !isUnknown(reply);
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

  private invoke(
    tool: Tool,
    { context, params, message }: AskedCall,
    { input, faults, reaching, canonical }: GivenArguments,
  ): Promise<InvocationAnswer> {
    const { caller } = context;
    const { operation, name } = tool;
    const derive = operation.effect !== 'read' && waitsForApproval(caller);
    const idempotencyKey = idempotencyKeyOf({
      params,
      ofRequest: message.idempotencyKey,
      derivedFrom: derive ? [caller.keyId, name, canonical] : null,
    });
    const client = clientNameOf(params, message.userAgent);
    return invoked(this.client, context, {
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
    });
  }
}

/** @throws Problem that the service answered, but for an id that is no approval of the key */
function isUnknown(reply: { readonly problem: string | null }): boolean {
  if (reply.problem === 'APPROVAL_NOT_FOUND' || reply.problem === 'INVALID_REQUEST') return true;
  throwProblemOf(reply);
  return false;
}

function throwProblemOf({ problem }: { readonly problem: string | null }): void {
  if (problem !== null) throw new Problem(isProblemCode(problem) ? problem : 'INTERNAL');
}
