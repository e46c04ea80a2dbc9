import { actorOf, memberOf, verifyCaller, type Caller, type CallerKey } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import {
  FileAnswer,
  gatewayService,
  instantiate,
  Problem,
  operationById,
  type Operation,
} from '@postroom/contracts';
import type { Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import type { EntityManager } from 'typeorm';
import {
  UnknownReferenceCheck,
  decodeUnknown,
  type UnknownReferences,
} from './unknown-references.js';
import { decisionOf, inputAsApproved, requireDecision } from './decisions.js';
import type { AnyHandler, Changing, Reading, Sending, Write } from './context.js';
import { asProblem } from './faults.js';
import type { CallerKeys } from './operation-client.js';
import { fingerprint } from './fingerprint.js';
import { Previewed, previewOf } from './preview.js';
import { signedParts } from './signed-parts.js';
import { AlreadyAnswered, UnitOfWork, type Claim, type Outcome } from './unit-of-work.js';

export interface EngineOptions {
  /** Null of a service without one: none of its operations changes or asks for anything there. */
  readonly database: Database | null;
  /** The service's key: a Caller that is not signed with it is refused. */
  readonly callerKey: CallerKey;
  /** Keys of the services that call operations of this one without the gateway (`calledBy`). */
  readonly keysOfCallers?: CallerKeys;
  /** Refuses what a member may not do of the public API; nothing when not given. */
  readonly memberRights?: MemberRights | undefined;
  readonly log: Log;
}

/**
 * The rights of a member who calls an operation of the public API, as those of a key are its grants: what is
 * shared with the member. @throws Problem
 */
export type MemberRights = (context: Reading, operation: Operation, input: object) => Promise<void>;

/** A request that has passed the engine's checks. */
interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
  readonly unknownReferences: UnknownReferences;
  readonly request: RequestEnvelope;
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
  private readonly units: UnitOfWork | null;

  constructor(private readonly options: EngineOptions) {
    this.units = options.database && new UnitOfWork(options.database);
  }

  private get work(): UnitOfWork {
    if (!this.units) throw new Error('this service has no database');
    return this.units;
  }

  private get database(): Database {
    if (!this.options.database) throw new Error('this service has no database');
    return this.options.database;
  }

  async run(request: RequestEnvelope, handler: AnyHandler): Promise<ReplyEnvelope> {
    const headers: Headers = {};
    try {
      const call = this.admit(request);
      const { operation } = call;
      await this.requireMemberRights(call);
      if (operation.effect === 'write' || operation.effect === 'destroy') {
        const said: Said = { status: operation.success, headers };
        const body = await this.write(call, handler, said);
        return reply(request, said.status, headers, body);
      }
      const context =
        operation.effect === 'send' ? this.sending(call, headers) : this.reading(call);
      const answer = (await handler(context, call.input)) as object;
      if (answer instanceof FileAnswer) {
        return reply(request, answer.status ?? operation.success, answer.headers, answer.bytes);
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
    const key = this.keyOf(operation);
    if (!key || !verifyCaller(key, signedParts(request), signature)) {
      throw new Error(
        `${operation.id} came with a Caller that ${signerOf(operation)} did not sign`,
      );
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

  private async requireMemberRights(call: Call): Promise<void> {
    const { operation, caller, input } = call;
    if (caller.type !== 'member' || operation.audience !== 'key') return;
    await this.options.memberRights?.(this.reading(call), operation, input);
  }

  /** Which key has signed a request for the operation; no other one will do. */
  private keyOf({ calledBy }: Operation): CallerKey | undefined {
    const { callerKey, keysOfCallers = {} } = this.options;
    return calledBy === gatewayService ? callerKey : keysOfCallers[calledBy];
  }

  private reading({ caller, request }: Call): Reading {
    const { tenantId } = caller;
    return {
      caller,
      tenantId,
      requestId: request.requestId,
      messageId: request.id,
      deadlineMs: request.deadlineMs,
      rows: (statement, values) => this.database.rows(statement, [tenantId, ...values]),
      entities: (read) =>
        this.work.run(originOf(caller), null, async ({ manager }) => ({
          value: await read(manager),
        })),
    };
  }

  /** A send claims nothing here: its handler makes a reservation of its own. */
  private sending(call: Call, headers: Headers): Sending {
    const { idempotencyKey, preview } = call.request;
    if (idempotencyKey === null || preview) {
      throw new Error(`${call.operation.id} without an Idempotency-Key, or to be rolled back`);
    }
    return {
      ...this.reading(call),
      operation: call.operation.id,
      idempotencyKey,
      header: (name, value) => (headers[name] = value),
    };
  }

  /** What a preview prepares with: nothing that it asks of the database can write. */
  private looking(call: Call): Reading {
    const origin = originOf(call.caller);
    return {
      ...this.reading(call),
      rows: (statement, values) => this.work.look(origin, ({ rows }) => rows(statement, values)),
      entities: (read) => this.work.look(origin, ({ manager }) => read(manager)),
    };
  }

  private async write(call: Call, handler: AnyHandler, said: Said): Promise<string> {
    const { operation, caller, request } = call;
    requireDecision(operation, caller, request.preview);
    const input = inputAsApproved(operation, caller, call.input);
    const reading = request.preview ? this.looking(call) : this.reading(call);
    const act = (await handler(reading, input)) as Write;
    try {
      return await this.work.run(originOf(caller), claimOf(call), (changing) =>
        this.change({ ...call, input }, act, changing, said),
      );
    } catch (error) {
      if (error instanceof Previewed) return JSON.stringify(error.preview);
      throw error;
    }
  }

  /** @throws Previewed when that is all that was asked for */
  private async change(
    { operation, caller, input, unknownReferences, request }: Call,
    act: Write,
    changing: Changing,
    said: Said,
  ): Promise<Outcome<string>> {
    const { requestId, id: messageId, deadlineMs } = request;
    const unknown = new UnknownReferenceCheck(operation, unknownReferences);
    let subjectId = 'id' in input && typeof input.id === 'string' ? input.id : null;
    const faults = operation.timeRule(input, changing.at);
    if (faults.length > 0) throw new Problem('INVALID_REQUEST', { violations: faults });
    const context = {
      ...changing,
      ...{ caller, requestId, messageId, deadlineMs },
      entities: <T>(read: (manager: EntityManager) => Promise<T>) => read(changing.manager),
      subject: (id: string) => (subjectId = id),
      allowUnknown: (field: string, before: readonly (string | null)[]) =>
        unknown.allow(field, before),
      header: (name: string, value: string) => (said.headers[name] = value),
      existed: () => (said.status = 200),
    };
    const done = async (): Promise<object> => {
      const answer = await act(context);
      unknown.refuseOthers();
      return answer;
    };
    if (request.preview) {
      const subject = () => subjectId;
      throw new Previewed(
        await previewOf({ context, read: act.target, input, act: done, subject }),
      );
    }
    const body = JSON.stringify(await done());
    return {
      value: body,
      reply: { status: said.status, body: operation.confidential ? null : body },
      ...(operation.audit !== null && {
        audit: { action: operation.audit, subjectId, requestId },
      }),
    };
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

const signerOf = ({ calledBy }: Operation): string =>
  calledBy === gatewayService ? 'the gateway' : `the service ${calledBy}`;

const isUnderWay = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'DUPLICATE_IN_PROGRESS';

const originOf = (caller: Caller) => ({
  tenantId: caller.tenantId,
  actor: actorOf(caller),
  source: caller.source,
  approvedBy: decisionOf(caller)?.memberId,
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
    approvalId: decisionOf(caller)?.approvalId,
  };
}

/**
 * Answers with the recorded reply; a redelivered message is not told that it is a repeat. Whoever asks for a
 * preview always is: it tells the answer of a write that was done from what one would do.
 */
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
  const redelivered = recorded.message_id === request.id && !request.preview;
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
