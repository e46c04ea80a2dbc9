import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { InFlight } from '@postroom/concurrency';
import type { InvocationAnswer, InvokeOperation, Operation } from '@postroom/contracts';
import { logToken, UnitOfWork, type Reading } from '@postroom/operations';
import type { Log } from '@postroom/service';

/** A tool call that was answered. */
export interface AnsweredCall {
  readonly context: Reading;
  readonly asked: InvokeOperation;
  readonly operation: Operation;
  readonly answer: InvocationAnswer;
}

/** Records that wait to be written, at most: beyond that calls wait for them. */
const waitingMax = 500;

const outcomes: Readonly<Record<number, string>> = { 200: 'done', 201: 'done', 202: 'filed' };

/**
 * One audit record a tool call, refused ones too (public-api.md §4, MCP rule 4). It is written after the
 * answer, one at a time, as refusals of requests are: a call need not wait for a commit that it has
 * nothing to do with. What a call writes has a record of its own, in the commit of the write.
 */
@Injectable()
export class ToolAudit implements BeforeApplicationShutdown {
  private readonly records = new InFlight();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** Resolves at once, unless too many wait. */
  async note(call: AnsweredCall): Promise<void> {
    const { requestId } = call.context;
    this.last = this.records.run(async () => {
      await this.last;
      await this.write(call).catch((err: unknown) => {
        this.log.error({ err, requestId }, 'could not audit a tool call');
      });
    });
    if (this.records.size > waitingMax) await this.last;
  }

  /** What is noted is written before the database is closed. */
  beforeApplicationShutdown(): Promise<void> {
    return this.records.none();
  }

  private write({ context, asked, operation, answer }: AnsweredCall): Promise<void> {
    const { caller, tenantId, requestId } = context;
    const keyId = caller.type === 'key' ? caller.keyId : null;
    const origin = { tenantId, actor: { type: 'key', id: keyId }, source: 'mcp' } as const;
    const subjectId = `${asked.tool ?? operation.id} ${operation.scope}`;
    const action = `tool.${outcomes[answer.status] ?? 'refused'}`;
    return this.work.run(origin, null, () =>
      Promise.resolve({ value: undefined, audit: { action, subjectId, requestId } }),
    );
  }
}
