import { Injectable } from '@nestjs/common';
import { fingerprintPrefix, SlidingWindow } from '@postroom/access';
import { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import type { FastifyRequest } from 'fastify';
import { presentedKey, type Recognised } from '../authentication/index.js';
import type { RequestState } from './request-state.js';

const actions = ['key.refused', 'key.rateLimited'] as const;

const recentRefusals = statement<{ recent: number }>(
  'access.recent_refusals',
  'SELECT recent_refusals($1, $2, $3) AS recent',
);

/** Audit entries of refusals per minute and key (`decisions.md` §3). */
const auditedPerMinute = 10;

/**
 * Records 401 and 429 (public-api.md §5.11) after the answer: each in the service log, and that of a
 * recognised key in the audit of its workspace too, a few times a minute at most.
 */
@Injectable()
export class RefusalLog {
  private readonly audited = new SlidingWindow();

  constructor(
    private readonly log: Log,
    private readonly work: UnitOfWork,
  ) {}

  async record(request: FastifyRequest, route: string): Promise<void> {
    const { id: requestId, method, state } = request;
    const { problem, refused } = state;
    if (problem?.status !== 401 && problem?.status !== 429) return;
    const reason = refused?.reason ?? problem.code;
    const facts = { requestId, method, route, reason, key: fingerprintOf(request) };
    this.log.warn(facts, 'request refused');
    const recognised = recognisedIn(state);
    if (!recognised || !this.mayAudit(recognised.keyId)) return;
    const action = problem.status === 429 ? 'key.rateLimited' : 'key.refused';
    await this.audit(recognised, action, requestId);
  }

  private audit(
    { tenantId, keyId }: Recognised,
    action: (typeof actions)[number],
    requestId: string,
  ): Promise<void> {
    const origin = { tenantId, actor: { type: 'key', id: keyId }, source: 'api' } as const;
    const audit = { action, subjectId: keyId, requestId };
    return this.work.run(origin, null, async ({ rows }) => {
      const [found] = await rows(recentRefusals, [keyId, actions]);
      const isRoom = found !== undefined && found.recent < auditedPerMinute;
      return { value: undefined, ...(isRoom && { audit }) };
    });
  }

  /** A limit in memory, so that a key that is refused all the time does not load the database. */
  private mayAudit(keyId: string): boolean {
    return this.audited.take(keyId, auditedPerMinute, 60_000, performance.now()).allowed;
  }
}

/** The key of a request, if it exists: authenticated, or refused and recognised. */
const recognisedIn = ({ authorization, refused }: RequestState): Recognised | null => {
  if (authorization?.caller.type === 'key') return authorization.caller;
  return refused?.recognised ?? null;
};

/** A fingerprint of the presented key, for the log. */
const fingerprintOf = (request: FastifyRequest): string | null => {
  const presented = presentedKey(request);
  return presented === null ? null : fingerprintPrefix(presented);
};
