import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fingerprintPrefix } from '@postroom/access';
import { InFlight } from '@postroom/concurrency';
import { mountPoints, table, type Problem, type SignIn } from '@postroom/contracts';
import type { Log, Metrics } from '@postroom/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  LastUse,
  MemberAuthentication,
  RefusalAudit,
  RefusedWrites,
  type RefusedActor,
} from '../../access/index.js';
import { presentedKey } from './guards.js';
import type { RequestState } from './request-state.js';

/**
 * Records metrics, refusals and last use after each answer. Each 401 and 429 (public-api.md §5.11) is logged, and
 * that of a recognised key, or of a sign-in with the address of a member, is in the audit of its workspace too.
 * @returns a function that waits until all of them are written
 */
export function recordAnswers(
  app: NestFastifyApplication,
  fastify: FastifyInstance,
  metrics: Metrics,
  log: Log,
): () => Promise<void> {
  const ids = table.map((operation) => operation.id);
  const recordOperation = metrics.operations('gateway', ids);
  const refusals = app.get(RefusalAudit);
  const refusedWrites = app.get(RefusedWrites);
  const lastUse = app.get(LastUse);
  const recordRefusal = async (request: FastifyRequest, problem: Problem): Promise<void> => {
    const { id: requestId, method, state } = request;
    const { operation, refused } = state;
    const route = operation ? mountPoints[operation.audience] + operation.path : 'unknown';
    const reason = refused?.reason ?? problem.code;
    const facts = { requestId, method, route, reason, key: fingerprintOf(request) };
    log.warn(facts, 'request refused');
    const key = recognisedIn(state);
    const action = problem.status === 429 ? 'key.rateLimited' : 'key.refused';
    if (key) await refusals.record(key, action, requestId);
    await recordRefusedProof(app, request, problem);
  };
  const recordProblem = async (request: FastifyRequest, problem: Problem): Promise<void> => {
    const { operation, authorization } = request.state;
    if (problem.status === 401 || problem.status === 429) await recordRefusal(request, problem);
    if (operation && authorization) {
      await refusedWrites.record({ operation, ...authorization, problem, requestId: request.id });
    }
  };
  const record = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { startedMs, operation, authorization, problem, refusedMember } = request.state;
    recordOperation(operation?.id ?? 'unknown', reply.statusCode, performance.now() - startedMs);
    if (problem) await recordProblem(request, problem);
    if (refusedMember) await refusals.record(refusedMember, 'member.signInRefused', request.id);
    if (authorization && problem?.code !== 'RATE_LIMITED')
      await lastUse.record(authorization.caller);
  };
  const records = new InFlight();
  fastify.addHook('onResponse', (request, reply, done) => {
    done();
    records
      .track(() => record(request, reply))
      .catch((error: unknown) => {
        log.error({ err: error, requestId: request.id }, 'could not record an answer');
      });
  });
  return () => records.none();
}

/** Records that a proof was refused to each member that it was tried for. */
async function recordRefusedProof(
  app: NestFastifyApplication,
  { id, hostname, state }: FastifyRequest,
  { code }: Problem,
): Promise<void> {
  const asked = state.authorization?.caller;
  if (code === 'SECOND_FACTOR_REFUSED' && asked?.type === 'member') {
    const member = { type: 'member', tenantId: asked.tenantId, id: asked.memberId } as const;
    await app.get(RefusalAudit).record(member, 'member.secondFactorRefused', id);
  }
  if (code !== 'SIGN_IN_FAILED' || !state.input || !('email' in state.input)) return;
  const { email } = state.input as SignIn;
  for (const member of await app.get(MemberAuthentication).reachedBy(email, hostname))
    await app.get(RefusalAudit).record({ type: 'member', ...member }, 'member.signInRefused', id);
}

/** The key of a request, if it exists: authenticated, or refused and recognised. */
const recognisedIn = ({ authorization, refused }: RequestState): RefusedActor | null => {
  const asked = authorization?.caller;
  const known = asked?.type === 'key' ? asked : refused?.recognised;
  return known ? { type: 'key', tenantId: known.tenantId, id: known.keyId } : null;
};

/** A fingerprint of the presented key, for the log. */
const fingerprintOf = (request: FastifyRequest): string | null => {
  const presented = presentedKey(request);
  return presented === null ? null : fingerprintPrefix(presented);
};
