import { actorOf, memberOf, verifyCaller, type Caller, type CallerKey } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import {
  FileAnswer,
  instantiate,
  Problem,
  operationById,
  type Operation,
} from '@postroom/contracts';
import type { Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import {
  UnknownReferenceCheck,
  decodeUnknown,
  type UnknownReferences,
} from './unknown-references.js';
import type { AnyHandler, Changing, Reading, Sending, Write } from './context.js';
import { asProblem } from './faults.js';
import { fingerprint } from './fingerprint.js';
import { signedParts } from './signed-parts.js';
import { AlreadyAnswered, UnitOfWork, type Claim, type Outcome } from './unit-of-work.js';

export interface EngineOptions {
  readonly database: Database;
  /** The service's key: a Caller that is not signed with it is refused. */
  readonly callerKey: CallerKey;
  readonly log: Log;
}

/** A request that has passed the engine's checks. */
interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
  readonly unknownReferences: UnknownReferences;
  readonly request: RequestEnvelope;
}

/** Carries a preview's answer out of the transaction that it rolls back. */
class Previewed extends Error {
  constructor(readonly body: string) {
    super('preview');
  }
}

type Headers = Record<string, string>;

/** What a handler says of its answer beside the body. */
interface Said {
  status: number;
  readonly headers: Headers;
}

/**
 * Runs operations: the one place where at-least-once delivery becomes exactly one effect. A request
 * always gets a reply; a refusal is a reply with its code, a fault is INTERNAL and is logged once.
 */
export class Engine {
  private readonly work: UnitOfWork;

  constructor(private readonly options: EngineOptions) {
    this.work = new UnitOfWork(options.database);
  }

  async run(request: RequestEnvelope, handler: AnyHandler): Promise<ReplyEnvelope> {
    const headers: Headers = {};
    try {
      const call = this.admit(request);
      const { operation } = call;
      if (operation.effect === 'write' || operation.effect === 'destroy') {
        const said: Said = { status: operation.success, headers };
        const body = await this.write(call, handler, said);
        return reply(request, said.status, headers, body);
      }
      const context =
        operation.effect === 'send' ? this.sending(call, headers) : this.reading(call);
      const answer = (await handler(context, call.input)) as object;
      if (answer instanceof FileAnswer) {
        return reply(request, operation.success, answer.headers, answer.bytes);
      }
      return reply(request, operation.success, headers, JSON.stringify(answer));
    } catch (error) {
      if (error instanceof AlreadyAnswered) return answerAgain(request, error);
      // Without an Idempotency-Key only a redelivery of the same message is a repeat: it waits for the
      // answer of the other instance, until the deadline.
      if (isUnderWay(error) && request.idempotencyKey === null) return this.run(request, handler);
      return this.refuse(request, error);
    }
  }

  /** Checks deadline and signature before anything else of the request is read. */
  private admit(request: RequestEnvelope): Call {
    const { deadlineMs, caller, signature, input } = request;
    const operation = operationById(request.operation);
    if (!operation || Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
    if (!verifyCaller(this.options.callerKey, signedParts(request), signature)) {
      throw new Error(`${operation.id} came with a Caller that the gateway did not sign`);
    }
    const values = JSON.parse(input.toString()) as object;
    return {
      operation,
      caller: JSON.parse(caller) as Caller,
      input: instantiate(operation.input, values),
      unknownReferences: decodeUnknown(request.references),
      request,
    };
  }

  private reading({ caller, request }: Call): Reading {
    const { tenantId } = caller;
    const { database } = this.options;
    return {
      caller,
      tenantId,
      requestId: request.requestId,
      deadlineMs: request.deadlineMs,
      rows: (statement, values) => database.rows(statement, [tenantId, ...values]),
      entities: (read) =>
        this.work.run(originOf(caller), null, async ({ manager }) => ({
          value: await read(manager),
        })),
    };
  }

  /** A send claims nothing here: its handler makes a reservation of its own. */
  private sending(call: Call, headers: Headers): Sending {
    const { id: messageId, idempotencyKey, preview } = call.request;
    if (idempotencyKey === null || preview) {
      throw new Error(`${call.operation.id} without an Idempotency-Key, or to be rolled back`);
    }
    return {
      ...this.reading(call),
      operation: call.operation.id,
      messageId,
      idempotencyKey,
      header: (name, value) => (headers[name] = value),
    };
  }

  private async write(call: Call, handler: AnyHandler, said: Said): Promise<string> {
    const { operation, caller, input, unknownReferences, request } = call;
    const unknown = new UnknownReferenceCheck(operation, unknownReferences);
    const act = (await handler(this.reading(call), input)) as Write;
    const claim = request.preview ? null : claimOf(call);
    let subjectId = 'id' in input && typeof input.id === 'string' ? input.id : null;
    try {
      const work = async (changing: Changing): Promise<Outcome<string>> => {
        const faults = operation.timeRule(input, changing.at);
        if (faults.length > 0) throw new Problem('INVALID_REQUEST', { violations: faults });
        const answer = await act({
          ...changing,
          caller,
          requestId: request.requestId,
          deadlineMs: request.deadlineMs,
          entities: (read) => read(changing.manager),
          subject: (id) => (subjectId = id),
          allowUnknown: (field, before) => unknown.allow(field, before),
          header: (name, value) => (said.headers[name] = value),
          existed: () => (said.status = 200),
        });
        unknown.refuseOthers();
        const body = JSON.stringify(answer);
        if (request.preview) throw new Previewed(body);
        return {
          value: body,
          reply: { status: said.status, body: operation.confidential ? null : body },
          ...(operation.audit !== null && {
            audit: { action: operation.audit, subjectId, requestId: request.requestId },
          }),
        };
      };
      return await this.work.run(originOf(caller), claim, work);
    } catch (error) {
      if (error instanceof Previewed) return error.body;
      throw error;
    }
  }

  private refuse(request: RequestEnvelope, error: unknown): ReplyEnvelope {
    const problem = asProblem(error);
    const { operation, requestId } = request;
    if (problem.code === 'INTERNAL') {
      this.options.log.error({ err: error, operation, requestId }, 'operation failed');
    } else if (problem.code === 'SERVICE_UNAVAILABLE' && problem.cause !== undefined) {
      this.options.log.warn({ err: problem.cause, operation, requestId }, 'operation put off');
    }
    return refusal(request, problem);
  }
}

const isUnderWay = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'DUPLICATE_IN_PROGRESS';

const originOf = (caller: Caller) => ({
  tenantId: caller.tenantId,
  actor: actorOf(caller),
  source: caller.source,
});

/**
 * What makes a repeat a repeat: the caller's own Idempotency-Key for this operation, or, without
 * one, the message itself (a redelivery of the bus).
 */
function claimOf({ operation, caller, input, request }: Call): Claim {
  const { id: messageId, idempotencyKey } = request;
  const asking = caller.type === 'key' ? caller.keyId : memberOf(caller);
  return {
    messageId,
    dedupeKey:
      idempotencyKey === null
        ? `message ${messageId}`
        : `key ${asking} ${operation.id} ${idempotencyKey}`,
    // The message's id suffices; a hash of inputs that hold passwords is not stored without need.
    fingerprint: idempotencyKey === null ? 'message' : fingerprint(operation.id, input),
  };
}

/** Answers with the recorded reply; a redelivered message is not told that it is a repeat. */
function answerAgain(
  request: RequestEnvelope,
  { recorded, claim }: AlreadyAnswered,
): ReplyEnvelope {
  const { status, body } = recorded;
  if (recorded.fingerprint !== claim.fingerprint) {
    return refusal(request, new Problem('IDEMPOTENCY_KEY_REUSED', { headers: keyReused }));
  }
  // The answer contained a secret, of which no copy is kept.
  if (body === null) return refusal(request, new Problem('DUPLICATE_IN_PROGRESS'));
  const redelivered = recorded.message_id === request.id;
  const headers: Headers = redelivered ? {} : { 'x-svc-idempotency': 'hit' };
  return reply(request, status, headers, body);
}

const keyReused = { 'x-svc-idempotency': 'key-reused' };

const refusal = (request: RequestEnvelope, problem: Problem): ReplyEnvelope => {
  const { code, status, headers, violations, fields } = problem;
  const says = Object.keys(fields).length > 0;
  const body = JSON.stringify({ violations, ...(says && { fields }) });
  return { ...reply(request, status, headers, body), problem: code };
};

const reply = (
  request: RequestEnvelope,
  status: number,
  headers: Readonly<Headers>,
  body: string | Buffer,
): ReplyEnvelope => ({
  id: request.id,
  status,
  headers,
  problem: null,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});
