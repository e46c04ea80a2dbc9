import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import { fieldNamed, FileAnswer, Problem, type Operation } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import type { Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import type { EntityManager } from 'typeorm';
import {
  type Call,
  claimOf,
  type Headers,
  inputAsApproved,
  originOf,
  reply,
  replySignature,
  requireDecision,
  type VerificationKeys,
  verifiedCall,
} from './call.js';
import type { EngineHandler, Changing, EmittedEvent, Reading, Write } from './context.js';
import { boundedJson } from './bounded-lists.js';
import { fileReply, readOnly, sending } from './other-calls.js';
import { limits } from './limits.js';
import { Previewed, previewOf } from './preview.js';
import { recordedReply, refusalOf } from './replies.js';
import { UnknownReferenceCheck } from './unknown-references.js';
import type { RecordedBytes } from './recorded-bytes.js';
import type { Audit, Outcome } from './recording.js';
import { AlreadyAnswered, UnitOfWork } from './unit-of-work.js';

export interface EngineOptions extends VerificationKeys {
  /** Null for a service without a database, whose operations all read elsewhere. */
  readonly database: Database | null;
  /** A unit of work on that database; the engine makes one by default. */
  readonly work?: UnitOfWork;
  /** Refuses what a member may not do of the public API; by default nothing. */
  readonly memberRights?: MemberRights | undefined;
  /** Bounds what writes leave behind; by default nothing does. */
  readonly recorded?: RecordedBytes | undefined;
  readonly log: Log;
}

/**
 * Checks the rights of a member who calls an operation of the public API, as grants limit a key.
 * @throws Problem
 */
export type MemberRights = (context: Reading, operation: Operation, input: object) => Promise<void>;

/** Status and headers of an answer; its handler may set both. */
interface ResponseHead {
  status: number;
  readonly headers: Headers;
  /** When the request was begun. */
  readonly beganMs: number;
}

/**
 * Runs operations: the one place where at-least-once delivery becomes exactly one effect. A request
 * always gets a reply; a refusal is a reply with its code, a fault is INTERNAL and is logged once. A request
 * without a valid signature of a permitted caller is left to the bus, which refuses and dead-letters it.
 */
export class Engine {
  private readonly units: UnitOfWork | null;
  private readonly handlers = new Budget(limits.handlers);
  private readonly longHandlers = new Budget(limits.longHandlers);

  constructor(private readonly options: EngineOptions) {
    const { database, work } = options;
    this.units = database && (work ?? new UnitOfWork(database));
  }

  private get work(): UnitOfWork {
    if (!this.units) throw new Error('this service has no database');
    return this.units;
  }

  private get database(): Database {
    if (!this.options.database) throw new Error('this service has no database');
    return this.options.database;
  }

  async handleRequest(request: RequestEnvelope, handler: EngineHandler): Promise<ReplyEnvelope> {
    try {
      const call = verifiedCall(request, this.options);
      const places = call.operation.isLong ? this.longHandlers : this.handlers;
      const workspace = call.caller.tenantId;
      const waitMaxMs = request.deadlineMs - Date.now();
      return await places.runInTurn({ workspace }, () => this.answer(call, handler), { waitMaxMs });
    } catch (error) {
      if (error instanceof AlreadyAnswered) return recordedReply(request, error);
      // A request without an Idempotency-Key can only repeat as a redelivery of the same message: it waits for the
      // answer of the other instance, until the deadline.
      if (isUnderWay(error) && request.idempotencyKey === null)
        return this.handleRequest(request, handler);
      return refusalOf(request, error, this.options.log);
    }
  }

  private async answer(call: Call, handler: EngineHandler): Promise<ReplyEnvelope> {
    const { operation, request, input } = call;
    const headers: Headers = {};
    await this.requireMemberRights(call);
    if (operation.effect === 'write' || operation.effect === 'destroy') {
      const head: ResponseHead = { status: operation.success, headers, beganMs: Date.now() };
      const body = await this.write(call, handler, head);
      return reply(request, head.status, headers, body);
    }
    const context =
      operation.effect === 'send' ? sending(call, this.reading(call), headers) : this.reading(call);
    const read = async (given: object): Promise<object> =>
      (await handler(context, given)) as object;
    const answer = await read(input);
    if (answer instanceof FileAnswer) return fileReply(call, answer);
    const isRead = operation.effect === 'read';
    const saysSo = fieldNamed(operation.output, 'truncated') !== undefined;
    const body = isRead ? await boundedJson(answer, input, read, saysSo) : JSON.stringify(answer);
    return reply(request, operation.success, headers, body);
  }

  /** Signs a reply as it travels. */
  sign(request: RequestEnvelope, answer: ReplyEnvelope): string {
    return replySignature(request, answer, this.options);
  }

  private async requireMemberRights(call: Call): Promise<void> {
    const { operation, caller, input } = call;
    if (caller.type !== 'member') return;
    if (operation.audience !== 'key' && operation.mailbox === 'none') return;
    await this.options.memberRights?.(this.reading(call), operation, input);
  }

  private reading(call: Call): Reading {
    const { caller, request } = call;
    const { tenantId } = caller;
    return {
      caller,
      tenantId,
      requestId: request.requestId,
      messageId: request.id,
      deadlineMs: request.deadlineMs,
      rows: (statement, values) => this.database.rows(statement, [tenantId, ...values], tenantId),
      entities: (read) =>
        this.work.change(originOf(call), null, async ({ manager }) => ({
          value: await read(manager),
        })),
    };
  }

  private async write(call: Call, handler: EngineHandler, head: ResponseHead): Promise<string> {
    const { operation, caller, request } = call;
    const { recorded } = this.options;
    requireDecision(operation, caller, request.preview);
    const input = inputAsApproved(operation, caller, call.input);
    const reading = request.preview
      ? readOnly(call, this.reading(call), this.work)
      : this.reading(call);
    // The handler of a write answers what is to be done, which runs only after the claim.
    const act = (await handler(reading, input)) as Write;
    try {
      return await this.work.change(originOf(call), claimOf(call), (changing) => {
        // After the claim: a repeat is answered as it was. What removes something makes room.
        if (recorded && recorded.full.size > 0 && operation.effect !== 'destroy')
          recorded.requireRoom(originOf(call));
        return this.carryOut({ ...call, input }, act, changing, head);
      });
    } catch (error) {
      if (error instanceof Previewed) return JSON.stringify(error.preview);
      throw error;
    }
  }

  /** @throws Previewed when that is all that was asked for */
  private async carryOut(
    { operation, caller, input, request }: Call,
    act: Write,
    changing: Changing,
    head: ResponseHead,
  ): Promise<Outcome<string>> {
    const { requestId, id: messageId, deadlineMs, references } = request;
    const unknown = references === null ? null : new UnknownReferenceCheck(operation, references);
    let subjectIds: readonly (string | null)[] = [
      'id' in input && typeof input.id === 'string' ? input.id : null,
    ];
    const faults = operation.timeRule?.(input, changing.at) ?? [];
    if (faults.length > 0) throw new Problem('INVALID_REQUEST', { violations: faults });
    const touched: EmittedEvent['resource'][] = [];
    const context = {
      ...changing,
      emit: (event: EmittedEvent) => {
        touched.push(event.resource);
        changing.emit(event);
      },
      ...{ caller, requestId, messageId, deadlineMs },
      entities: <T>(read: (manager: EntityManager) => Promise<T>) => read(changing.manager),
      subject: (id: string) => (subjectIds = [id]),
      subjects: (ids: readonly string[]) => (subjectIds = ids),
      allowUnknown: (field: string, before: readonly (string | null)[]) =>
        unknown?.allow(field, before) ?? [],
      header: (name: string, value: string) => (head.headers[name] = value),
      existed: () => (head.status = 200),
    };
    const done = async (): Promise<object> => {
      const answer = await act(context);
      unknown?.refuseOthers();
      return answer;
    };
    if (request.preview) {
      const subject = () => subjectIds[0] ?? null;
      const parts = { context, read: act.target, input, act: done, subject, touched };
      throw new Previewed(await previewOf(parts));
    }
    const body = JSON.stringify(await done());
    return {
      value: body,
      reply: { status: head.status, body: operation.confidential ? null : body },
      audit: auditsOf(operation, input, subjectIds, {
        requestId,
        durationMs: Date.now() - head.beganMs,
      }),
    };
  }
}

/** The audit records of a call: one for each subject, or none of a step that has none of its own. */
const auditsOf = (
  { audit, isAudited }: Operation,
  input: object,
  subjectIds: readonly (string | null)[],
  record: Omit<Audit, 'action' | 'subjectId'>,
): readonly Audit[] =>
  audit === null || isAudited?.(input) === false
    ? []
    : subjectIds.map((subjectId) => ({ action: audit, subjectId, ...record }));

const isUnderWay = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'DUPLICATE_IN_PROGRESS';
