import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { InFlight } from '@postroom/concurrency';
import { logToken, UnitOfWork, type Reading } from '@postroom/operations';
import type { Log } from '@postroom/service';

/** A tool call that has ended. */
export interface EndedCall {
  readonly context: Reading;
  /** The tool's name and its scope; the name alone where there is no such tool. */
  readonly subjectId: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Records that wait to be written, at most: beyond that calls wait for them. */
const waitingMax = 500;
/** A database that is away for longer loses the record, and the log says so. */
const tries = 5;
const retryMs = 2_000;

function actionOf(status: number): string {
  if (status === 202) return 'tool.filed';
  if (status < 400) return 'tool.done';
  return status < 500 ? 'tool.refused' : 'tool.failed';
}

/**
 * One audit record a tool call, refused and failed ones too (public-api.md §4, MCP rule 4). It is written after
 * the answer, one at a time, as refusals of requests are: a call need not wait for a commit that it has nothing
 * to do with. A write has a record of its own, in the commit of the write.
 */
@Injectable()
export class ToolAudit implements BeforeApplicationShutdown {
  private readonly records = new InFlight();
  private last: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** Resolves at once, unless too many wait. */
  async note(call: EndedCall): Promise<void> {
    const { requestId } = call.context;
    this.last = this.records.track(async () => {
      await this.last;
      await this.written(call).catch((err: unknown) => {
        this.log.error({ err, requestId }, 'could not audit a tool call');
      });
    });
    if (this.records.size > waitingMax) await this.last;
  }

  /** Waits until all records are written, before the database is closed. */
  beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    return this.records.none();
  }

  private async written(call: EndedCall): Promise<void> {
    for (let n = 1; n < tries && !this.isStopping; n += 1) {
      const isWritten = await this.write(call).then(
        () => true,
        () => false,
      );
      if (isWritten) return;
      await sleep(retryMs);
    }
    await this.write(call);
  }

  private write({ context, subjectId, status, durationMs }: EndedCall): Promise<void> {
    const { caller, tenantId, requestId } = context;
    const keyId = caller.type === 'key' ? caller.keyId : null;
    const origin = { tenantId, actor: { type: 'key', id: keyId }, source: 'mcp' } as const;
    const audit = { action: actionOf(status), subjectId, requestId, durationMs };
    return this.work.change(origin, null, () => Promise.resolve({ value: undefined, audit }));
  }
}
