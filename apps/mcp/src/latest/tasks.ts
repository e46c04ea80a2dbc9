import type { Caller } from '@postroom/access';
import {
  Problem,
  problemFacts,
  type ApprovalRequest,
  type ApprovalState,
  type FiledCall,
  rpcCodes,
} from '@postroom/contracts';
import { resultOfCall, wrongArgumentsResult, type Result, type ToolCalls } from '../calls/index.js';
import { errorObject, invalidParams, RpcError } from '../json-rpc.js';
import { isRecord } from '../json.js';
import type { Tool, ToolBox } from '../tools/index.js';
import type { LatestMethod, LatestRequest, MoreMethods } from './latest-request.js';

const extension = 'io.modelcontextprotocol/tasks';

/** Approvals are kept for so long after they have ended. */
const ttlMs = 90 * 24 * 3_600_000;

/** People decide in minutes or in days: the longer a task has waited, the less often it is asked for. */
const pollMs = { min: 5_000, max: 60_000, partOfAge: 60 } as const;

type Status = 'working' | 'completed' | 'failed' | 'cancelled';

const decided = 'A person has approved it';

/** The states of an approval in words; how the write ended is in the result. */
const messages: Readonly<Record<ApprovalState, string>> = {
  pending: 'A person of the workspace has to decide; nothing has been written.',
  approved: `${decided}; it is being carried out.`,
  executing: `${decided}; it is being carried out.`,
  executed: `${decided}, and it was done.`,
  failed: `${decided}, and it failed.`,
  refused: `${decided}, and it was refused when it was to be carried out.`,
  rejected: 'A person has rejected it; nothing was written.',
  expired: 'Nobody decided in time; nothing was written.',
  cancelled: 'It was withdrawn; nothing was written.',
};

export function declaresTasks({ capabilities }: Pick<LatestRequest, 'capabilities'>): boolean {
  const { extensions } = capabilities;
  return isRecord(extensions) && isRecord(extensions[extension]);
}

interface Timed {
  readonly state: ApprovalState;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const taskOf = (taskId: string, status: Status, { state, createdAt, updatedAt }: Timed) => ({
  taskId,
  status,
  statusMessage: messages[state],
  createdAt,
  lastUpdatedAt: updatedAt,
  ttlMs,
  ...(status === 'working' && {
    pollIntervalMs: pollIntervalMs(Date.now() - Date.parse(createdAt)),
  }),
});

const pollIntervalMs = (ageMs: number): number =>
  Math.round(Math.min(pollMs.max, Math.max(pollMs.min, ageMs / pollMs.partOfAge)));

/** The task that a filed write is (`CreateTaskResult` of SEP-2663); its handle is the approval's id. */
export function createdTask({ structuredContent, content }: Result): object {
  const { id, state, createdAt, decidedAt } = structuredContent['approval'] as ApprovalRequest;
  return {
    resultType: 'task',
    ...taskOf(id, 'working', { state, createdAt, updatedAt: decidedAt ?? createdAt }),
    statusMessage: content[0]?.text,
  };
}

/** `tasks/get`, `tasks/update` and `tasks/cancel`: a key follows and withdraws what it has filed itself. */
export function tasksOf(calls: ToolCalls, tools: ToolBox): MoreMethods {
  const get: LatestMethod = async (request) => {
    const taskId = taskIdOf(request);
    const { context } = request;
    const filed = await calls.filedCall(taskId, context);
    const tool = filed && tools.ofOperation(filed.operation);
    if (!tool) throw unknownTask();
    const outcome = outcomeOf(filed, tool, context.caller);
    return { ...taskOf(taskId, outcome.status, filed), ...outcome };
  };
  const update: LatestMethod = async (request) => {
    // No task asks for input, so that no answer is awaited.
    if (!isRecord(request.params['inputResponses']))
      throw invalidParams('`inputResponses` must be an object.');
    await get(request);
    return {};
  };
  const cancel: LatestMethod = async (request) => {
    if (await calls.withdraw(taskIdOf(request), request.context)) return {};
    throw unknownTask();
  };
  return {
    methods: new Map([
      ['tasks/get', get],
      ['tasks/update', update],
      ['tasks/cancel', cancel],
    ]),
    extensions: { [extension]: {} },
  };
}

/** @throws RpcError */
function taskIdOf(request: LatestRequest): string {
  if (!declaresTasks(request))
    throw new RpcError(
      rpcCodes.missingCapability,
      `The client has to declare ${extension} in this request.`,
      { requiredCapabilities: { extensions: { [extension]: {} } } },
      400,
    );
  const { taskId } = request.params;
  if (typeof taskId === 'string') return taskId;
  throw invalidParams('`taskId` must be the id of a task.');
}

/** The same for another key's. */
const unknownTask = (): RpcError => invalidParams('This key has filed no task of this id.');

interface Outcome {
  readonly status: Status;
  readonly result?: object;
  readonly error?: object;
}

/** The result or the error that the call would have had; what a person or the operation refuses is a result. */
function outcomeOf({ answer, state }: FiledCall, tool: Tool, caller: Caller): Outcome {
  if (answer === null) return { status: 'working' };
  if (state === 'cancelled') return { status: 'cancelled' };
  const shown = (): object => {
    try {
      return resultOfCall(answer, { tool, caller });
    } catch (error) {
      return wrongArgumentsResult(error);
    }
  };
  try {
    const result = shown();
    return { status: 'completed', result: { resultType: 'complete', ...result } };
  } catch (error) {
    return { status: 'failed', error: errorObject(rpcErrorOf(error)) };
  }
}

function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof Problem)) throw error;
  return new RpcError(rpcCodes.internal, problemFacts(error.code).en);
}
