import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { actorOf } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { withTimeout } from '@postroom/concurrency';
import { doneAtHeader, newId, Problem, quotaExceeded, systemActor } from '@postroom/contracts';
import {
  asProblem,
  canonicalJson,
  UnitOfWork,
  workspaceNow,
  type Preview,
} from '@postroom/operations';
import { Database, type Statement } from '@postroom/persistence';
import { GatewayConfig } from '../../config.js';
import { ServiceCalls } from '../invocation/service-calls.js';
import {
  filedBefore,
  filedBeforeDerived,
  findApproval,
  insertApproval,
  lockFiling,
  recordedOf,
  noteAnswered,
  type ApprovalRow,
  type RecordedBytes,
} from './approval-rows.js';
import { Closing, tellApproval } from './closing.js';
import { doneBefore, hasChangedSince, meaningOfRepeat, nextKey } from './derived-keys.js';
import { factsOf, zoneOfWorkspace, type FiledWrite, type Filing } from './filed-facts.js';
import { filedReply, repeatedReply } from './filed-replies.js';

/** The approval that an Idempotency-Key stands for. */
interface Filed {
  readonly row: ApprovalRow;
  readonly isNew: boolean;
}

/** The outcome of a repeated Idempotency-Key. */
type Repeat =
  | { readonly reply: ReplyEnvelope; readonly key?: never; readonly unlessChanged?: never }
  | { readonly key: string; readonly unlessChanged?: ApprovalRow; readonly reply?: never };

/** A write that may be filed, until its request has timed out. */
interface Previewed extends Omit<Filing, 'expiresAt'> {
  readonly isOver: { readonly now: boolean };
}

/** Writes of one key that may wait at a time (`decisions.md` §6). */
export const pendingApprovalsMax = 100;

type Rows = <R extends object>(statement: Statement<R>, values: readonly unknown[]) => Promise<R[]>;

/** Files writes of agents (`decisions.md` §6): steps 12 and 13 of §2 for those that have to wait. */
@Injectable()
// oxlint-disable-next-line postroom/owned-limits -- its entries are rows that a person decides on
export class ApprovalQueue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly database: Database,
    private readonly calls: ServiceCalls,
    private readonly config: GatewayConfig,
    private readonly closing: Closing,
  ) {}

  /**
   * Answers a repeat as the queue or the service remembers it; previews anything else in its service, and
   * files it. That takes no longer than the operation itself may (`decisions.md` §11): later nothing is filed.
   *
   * @throws Problem what the write would be refused with; TOO_MANY_APPROVALS, APPROVALS_UNAVAILABLE
   */
  file(write: FiledWrite): Promise<ReplyEnvelope> {
    const { operation, timeoutMs = operation.deadlineMs } = write;
    const isOver = { now: false };
    return withTimeout(this.filing(write, isOver), timeoutMs, () => {
      isOver.now = true;
      throw new Problem('APPROVALS_UNAVAILABLE');
    });
  }

  private async filing(write: FiledWrite, isOver: { readonly now: boolean }) {
    const { input } = write;
    const payload = canonicalJson(input);
    const payloadHash = hash('sha256', payload);
    const rows = this.outside(write);
    const before = await queued(async () => {
      const found = await this.filedBefore(rows, write);
      return found.before && this.closing.settled({ rows }, found.before);
    });
    const repeat = before && (await this.repeated(write, before, payloadHash));
    if (repeat?.reply) return repeat.reply;
    const idempotencyKey = repeat?.key ?? write.idempotencyKey;
    const asked = { ...write, idempotencyKey };
    return this.filed(asked, { payload, payloadHash, isOver }, repeat?.unlessChanged);
  }

  private async filed(
    write: FiledWrite,
    { payload, payloadHash, isOver }: Omit<Previewed, 'preview'>,
    unlessChanged: ApprovalRow | undefined,
  ): Promise<ReplyEnvelope> {
    const { caller } = write;
    const reply = await this.previewed(write);
    // The write was done directly, when this key did not need approval.
    if (reply.headers['x-svc-idempotency'] !== undefined) return reply;
    const preview = JSON.parse(reply.body.toString()) as Preview;
    const version = preview.target?.version ?? null;
    if (unlessChanged && !hasChangedSince(unlessChanged, version)) {
      const repeated = repeatedReply(unlessChanged, caller, payloadHash);
      return doneBefore(repeated, unlessChanged, doneAtHeader);
    }
    const filed = await queued(() => this.insert(write, { payload, payloadHash, preview, isOver }));
    if (!filed.isNew) return repeatedReply(filed.row, caller, payloadHash);
    return filedReply(filed.row, caller);
  }

  private previewed(write: FiledWrite): Promise<ReplyEnvelope> {
    const { operation, caller, input, idempotencyKey, requestId, traceparent, timeoutMs } = write;
    const call = { operation, caller, input, idempotencyKey, requestId, traceparent };
    return this.calls.make({ ...call, timeoutMs, preview: true });
  }

  /**
   * A repeated key: its answer, or, of a derived key, the one under which the call is filed anew, unless nothing
   * has changed since it was done.
   * @throws Problem of an approval that has ended
   */
  private async repeated(
    { caller, idempotencyKey, keyIsDerived = false }: FiledWrite,
    before: ApprovalRow,
    payloadHash: string,
  ): Promise<Repeat> {
    const answer = (): ReplyEnvelope => repeatedReply(before, caller, payloadHash);
    if (!keyIsDerived) return { reply: answer() };
    const { tenantId } = caller;
    const now = await workspaceNow({ tenantId, rows: this.outside({ caller }) });
    const meaning = meaningOfRepeat(before, now.getTime());
    const key = nextKey(idempotencyKey, before);
    if (meaning === 'anew') return { key };
    if (meaning === 'unlessChanged') return { key, unlessChanged: before };
    if (meaning === 'first') await this.noteAnswered(before);
    return { reply: doneBefore(answer(), before, doneAtHeader) };
  }

  private noteAnswered({ tenantId, id }: ApprovalRow): Promise<void> {
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    return this.work.change(origin, null, async ({ rows, at }) => {
      await rows(noteAnswered, [id, at]);
      return { value: undefined };
    });
  }

  private outside({ caller }: Pick<FiledWrite, 'caller'>): Rows {
    const { tenantId } = caller;
    return (statement, values) => this.database.rows(statement, [tenantId, ...values], tenantId);
  }

  /** The approval that has taken the Idempotency-Key, and how many of the key's approvals are pending. */
  private async filedBefore(
    rows: Rows,
    { caller, operation, idempotencyKey, keyIsDerived = false }: FiledWrite,
  ): Promise<{ readonly before: ApprovalRow | null; readonly waiting: number }> {
    const sought = keyIsDerived ? filedBeforeDerived : filedBefore;
    const [found] = await rows(sought, [caller.keyId, operation.id, idempotencyKey]);
    const [before = null] = found?.id ? await rows(findApproval, [found.id]) : [];
    return { before, waiting: found?.waiting ?? 0 };
  }

  /** @throws Problem QUOTA_EXCEEDED when the key, or its workspace, has had as much recorded as it may */
  private requireBytes({ day, stored }: RecordedBytes): void {
    const { quotaRecordedBytes, quotaStoredBytes } = this.config;
    if (day >= quotaRecordedBytes)
      throw quotaExceeded('recordedBytes', { limit: quotaRecordedBytes, used: day });
    if (stored >= quotaStoredBytes)
      throw quotaExceeded('storedBytes', { limit: quotaStoredBytes, used: stored });
  }

  private insert(
    write: FiledWrite,
    { payload, payloadHash, preview, isOver }: Previewed,
  ): Promise<Filed> {
    const { caller, requestId } = write;
    const id = newId('apr');
    const { tenantId, source } = caller;
    const origin = { tenantId, source, actor: actorOf(caller) };
    return this.work.change<Filed>(origin, null, async (changing) => {
      const { rows, at } = changing;
      const [, { before, waiting }, [recorded], timeZone] = await Promise.all([
        rows(lockFiling, [caller.keyId]),
        this.filedBefore(rows, write),
        rows(recordedOf, [caller.keyId]),
        zoneOfWorkspace(rows),
      ]);
      if (before) return { value: { row: before, isNew: false } };
      requirePlace(waiting);
      this.requireBytes(recorded ?? { day: 0, stored: 0 });
      if (isOver.now) throw new Problem('APPROVALS_UNAVAILABLE');
      const expiresAt = new Date(at.getTime() + this.config.approvalTtlMs);
      const filing = { payload, payloadHash, preview, expiresAt };
      const [row] = await rows(insertApproval, [id, ...factsOf(write, filing, at, timeZone)]);
      if (!row) throw new Error('an insert returns its row');
      tellApproval(changing, row);
      const audit = { action: 'approvals.file', subjectId: id, requestId };
      return { value: { row, isNew: true }, audit };
    });
  }
}

/** A queue that cannot be reached is said to be so: nothing was written. */
async function queued<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code !== 'SERVICE_UNAVAILABLE') throw problem;
    throw new Problem('APPROVALS_UNAVAILABLE', { cause: problem.cause });
  }
}

function requirePlace(waiting: number): void {
  // oxlint-disable-next-line postroom/owned-limits -- a quota of stored rows of a workspace
  if (waiting >= pendingApprovalsMax)
    throw new Problem('TOO_MANY_APPROVALS', { headers: { 'retry-after': '60' } });
}
