import { mayReadBesideMail, type Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  bookLists,
  decode,
  eventSubscriptions,
  invocations,
  isMounted,
  operationsById,
  Problem,
  ReachedMailbox,
  ruleOf,
  type InvocationAnswer,
  type InvokeOperation,
  type Operation,
  type UsableBook,
  type UsableBooks,
} from '@postroom/contracts';
import { asProblem, handlers, type Reading } from '@postroom/operations';
import { FiledCalls } from '../approvals/filed-calls.js';
import type { Authorization } from '../authentication/authorizations.js';
import { KeyAuthentication } from '../authentication/key-authentication.js';
import { TenantEntity } from '../entities.js';
import { RefusedWrites } from '../refusals.js';
import { ignoredHeader } from './ignored-names.js';
import { decodedInput, invalidInput, Invoker, type DecodedInput } from './invoker.js';
import { ServiceCalls } from './service-calls.js';
import { ToolAudit } from './tool-audit.js';

/** Reserved for the way back, so that the answer is there before the caller gives up. */
const wayBackMs = 1_000;

/**
 * The way into the public API for a service that translates another protocol (MCP): a key's call takes the same
 * checks as over HTTP. The service has authenticated no caller by itself: it names a caller that the gateway
 * gave it, whose rights are read again here.
 */
export const InvokeHandlers = handlers(
  invocations,
  [Invoker, KeyAuthentication, RefusedWrites, ServiceCalls, ToolAudit, FiledCalls],
  (invoker, keys, refused, calls, audit, filed) => ({
    invoke: async (context, asked) => {
      const call = { context, asked, operation: operationFor(asked) };
      const begunAt = performance.now();
      const outcome = await answerTo({ invoker, keys, refused }, call).catch(asProblem);
      const durationMs = Math.round(performance.now() - begunAt);
      const subjectId = subjectOf(call);
      // Calls of no tool are audited by the operation itself, as over HTTP.
      if (asked.tool !== undefined)
        await audit.note({ context, subjectId, status: outcome.status, durationMs });
      if (outcome instanceof Problem) throw outcome;
      return outcome;
    },

    introduce: async (context) => {
      const { caller } = await authorizationOf(keys, context);
      const { tenantId: id } = context;
      const { timeZone } = await context.entities((manager) =>
        manager.findOneByOrFail(TenantEntity, { id }),
      );
      const books = mayReadBesideMail(caller, 'read:contacts')
        ? await usableBooks(calls, { ...context, caller })
        : [];
      return { timeZone, addressBooks: books.slice(0, booksMax) };
    },

    filedCall: async (context, { id }) => {
      const { caller } = await authorizationOf(keys, context);
      const found = await filed.find({ ...context, caller }, id);
      const { operation, state, createdAt, decidedAt, closedAt } = found.row;
      const updatedAt = closedAt ?? decidedAt ?? createdAt;
      const reply = await filed.answer(found).catch(asProblem);
      const answer = reply instanceof Problem ? refusalOf(reply) : reply && answerOf(reply);
      return { operation, state, createdAt, updatedAt, answer };
    },

    withdraw: async (context, { id }) => {
      const { caller } = await authorizationOf(keys, context);
      await filed.withdraw(await filed.find({ ...context, caller }, id), context.requestId);
      return {};
    },

    recordRefused: async (context, { tool }) => {
      await audit.note({ context, subjectId: tool, status: 400, durationMs: 0 });
      return {};
    },
  }),
);

/** Books that an introduction names. */
const booksMax = 20;

/** The books of a key's member; none while their service does not answer: an agent may begin without them. */
async function usableBooks(
  calls: ServiceCalls,
  { caller, requestId }: Pick<Reading, 'caller' | 'requestId'>,
): Promise<readonly UsableBook[]> {
  const asked = { operation: bookLists.addressBooks, caller, input: {}, requestId };
  const answer = await calls.make(asked).catch(() => null);
  if (!answer) return [];
  return (JSON.parse(answer.body.toString()) as UsableBooks).addressBooks;
}

interface Call {
  readonly context: Reading;
  readonly asked: InvokeOperation;
  readonly operation: Operation;
}

const subjectOf = ({ asked, operation }: Call): string =>
  `${asked.tool ?? operation.id} ${operation.scope}`;

/** Operations that a key has by another protocol alone. */
const unmounted: readonly Operation[] = Object.values<Operation>(eventSubscriptions);

/** @throws Error for what is no operation of the public API: the calling service is at fault */
function operationFor({ operation: id }: InvokeOperation): Operation {
  const operation = operationsById.get(id);
  if (operation && unmounted.includes(operation)) return operation;
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

interface Parts {
  readonly invoker: Invoker;
  readonly keys: KeyAuthentication;
  readonly refused: RefusedWrites;
}

/**
 * The answer to a call, refusals too.
 * @throws Problem UNAUTHENTICATED, and INTERNAL: no outcome of a call
 */
async function answerTo({ invoker, keys, refused }: Parts, call: Call): Promise<InvocationAnswer> {
  const { context, operation } = call;
  const authorization = await authorizationOf(keys, context);
  try {
    return await carriedOut(invoker, call, authorization);
  } catch (error) {
    const problem = asProblem(error);
    await refused.record({ operation, ...authorization, problem, requestId: context.requestId });
    if (problem.code === 'INTERNAL') throw problem;
    return refusalOf(problem);
  }
}

async function carriedOut(
  invoker: Invoker,
  { context, asked, operation }: Call,
  authorization: Authorization,
): Promise<InvocationAnswer> {
  const { idempotencyKey, keyIsDerived, client } = asked;
  const request = { operation, authorization, idempotencyKey };
  invoker.authorize(request);
  const { input, ignored } = inputOf(operation, asked, authorization.caller);
  const reply = await invoker.execute({
    ...{ ...request, keyIsDerived, client, input },
    requestId: context.requestId,
    // A redelivery of this call is a redelivery to the service too.
    messageId: context.messageId,
    timeoutMs: Math.min(operation.deadlineMs, context.deadlineMs - Date.now() - wayBackMs),
  });
  return answerOf({ ...reply, headers: { ...reply.headers, ...ignoredHeader(ignored) } });
}

function answerOf({ status, headers, body }: ReplyEnvelope): InvocationAnswer {
  const shown = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  return { status, headers, body: shown, problem: null };
}

function refusalOf(problem: Problem): InvocationAnswer {
  const { code, status, headers, violations, fields } = problem;
  return {
    status,
    headers,
    body: null,
    problem: { code, rule: ruleOf(code), violations: [...violations], fields },
  };
}

/**
 * The input that a service asks an operation with, and what it must fulfil beside: no fault that the
 * service has found, and a mailbox that the key may read.
 * @throws Problem INVALID_REQUEST, MAILBOX_FORBIDDEN
 */
function inputOf(operation: Operation, asked: InvokeOperation, caller: Caller): DecodedInput {
  const { faults = [], reaching } = asked;
  if (faults.length > 0) throw invalidInput(faults);
  const decoded = decodedInput(operation, { body: asked.input });
  if (reaching) requireReach(reaching, caller);
  return decoded;
}

function requireReach(reaching: Readonly<Record<string, unknown>>, caller: Caller): void {
  const { input, violations } = decode(ReachedMailbox, { body: reaching });
  if (violations) throw invalidInput(violations);
  const isGranted = caller.type === 'key' && Object.hasOwn(caller.grants, input.mailbox);
  if (!isGranted) throw new Problem('MAILBOX_FORBIDDEN');
}
