import { Injectable } from '@nestjs/common';
import { fingerprintPrefix, SlidingWindow } from '@postroom/access';
import { UnitOfWork } from '@postroom/operations';
import type { Log } from '@postroom/service';
import type { FastifyRequest } from 'fastify';
import { presentedKey } from '../authentication/index.js';

/** Audit entries of refusals a minute and key (`decisions.md` §3). */
const auditedPerMinute = 10;

/**
 * Records 401 and 429 (public-api.md §5.11), after the answer has left: a line in the service log
 * each, and for a recognised key an audit record in its workspace, a few a minute at most.
 */
@Injectable()
export class RefusalLog {
  private readonly audited = new SlidingWindow();

  constructor(
    private readonly log: Log,
    private readonly work: UnitOfWork,
  ) {}

  async record(request: FastifyRequest, route: string): Promise<void> {
    const { id: requestId, method, edge } = request;
    const { problem, refused, authorization } = edge;
    if (problem?.status !== 401 && problem?.status !== 429) return;
    const reason = refused?.reason ?? problem.code;
    const presented = presentedKey(request);
    const key = presented === null ? null : fingerprintPrefix(presented);
    this.log.warn({ requestId, method, route, reason, key }, 'refused');
    const caller = authorization?.caller;
    const recognised = caller?.type === 'key' ? caller : refused?.recognised;
    if (!recognised || !this.mayAudit(recognised.keyId)) return;
    const { tenantId, keyId } = recognised;
    await this.work.run(
      { tenantId, actor: { type: 'key', id: keyId }, source: 'api' },
      null,
      () => {
        const action = problem.code === 'RATE_LIMITED' ? 'key.rateLimited' : 'key.refused';
        return Promise.resolve({
          value: undefined,
          audit: { action, subjectId: keyId, requestId },
        });
      },
    );
  }

  private mayAudit(keyId: string): boolean {
    return this.audited.take(keyId, auditedPerMinute, 60_000, performance.now()).allowed;
  }
}
